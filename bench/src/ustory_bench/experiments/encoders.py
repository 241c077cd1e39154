"""Beyond the paper: what an encoder costs, and what it is worth."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, chain, pairwise
from time import perf_counter

import numpy as np

from ustory.core.article import PreparedArticle
from ustory.core.protocols import Encoder, TextPipeline
from ustory.encode.load import load_encoder
from ustory.text.load import load_pipeline
from ustory_bench.experiments.encoder_figures import encoder_blocks, encoder_text
from ustory_bench.experiments.sweep_lines import Placed, Sweep
from ustory_bench.experiments.sweeps import (
    block_of,
    last_days,
    our_systems,
    score_windows,
    summary,
)
from ustory_bench.runner.follow import follow
from ustory_bench.runner.jobs import BenchPlan, Inputs, Job, Plain
from ustory_bench.runner.streams import Stream
from ustory_bench.system import find_system

SENTENCES, LEAD = 3_000, 10
"""Encoded at the end of a stream, and of each article at most: some encoders do less
than a hundred in a second, and scores need articles rather than sentences."""

WITHOUT_TORCH = ("wordllama", "minilm", "multilingual")
"""Encoders of the catalogue that are tried whether the plan names them or not."""

_TASK = "ustory_bench.experiments.encoders:measure"
_WARM = 64  # sentences; the first call of a model is slower than the others


def measure(
    inputs: Inputs, *, system: str, encoder: str, sentences: int, lead: int
) -> dict[str, Plain]:
    """Encode the end of a stream, and run a system over it; return scores and speed.

    The stream's own vectors are left aside: encoding is what is timed. The result is
    that of a sweep, with `encoding`.
    """
    leads = with_leads(inputs.stream, lead, load_pipeline(inputs.settings.text))
    part = last_sentences(leads, sentences)
    loaded = load_encoder(encoder)
    stream, seconds = encoded(part, loaded)
    settings = inputs.settings
    discoverer = find_system(system).make(settings, loaded)
    told = list(follow(discoverer, stream.articles, settings))
    scored = score_windows(told, stream, settings)
    count = sum(len(one.sentences) for one in stream.articles)
    return {
        **summary(told, stream, scored, block_of(settings)),
        "encoding": {
            "dim": loaded.dim,
            "sentences": count,
            "seconds": round(seconds, 4),
            "sentences_per_second": round(count / seconds, 1),
        },
    }


def with_leads(stream: Stream, lead: int, pipeline: TextPipeline) -> Stream:
    """Return a stream with the first sentences of each article, so many at most."""
    return replace(
        stream, articles=[_cut(one, lead, pipeline) for one in stream.articles]
    )


def last_sentences(stream: Stream, sentences: int) -> Stream:
    """Return the end of a stream: the fewest whole days that hold so many sentences."""
    held, articles = 0, 0
    for one in reversed(stream.articles):
        held, articles = held + len(one.sentences), articles + 1
        if held >= sentences:
            break
    return last_days(stream, articles)


def encoded(stream: Stream, encoder: Encoder) -> tuple[Stream, float]:
    """Return a stream with another encoder's vectors, and the seconds that took."""
    sentences = list(chain.from_iterable(one.sentences for one in stream.articles))
    encoder.encode(sentences[:_WARM])
    start = perf_counter()
    rows = np.asarray(encoder.encode(sentences), dtype=np.float16)
    seconds = perf_counter() - start
    vectors = rows.astype(np.float32)  # as `prepare` holds them
    ends = accumulate((len(one.sentences) for one in stream.articles), initial=0)
    articles = tuple(
        replace(one, vectors=vectors[first:end])
        for one, (first, end) in zip(stream.articles, pairwise(ends), strict=True)
    )
    return replace(stream, articles=articles), seconds


def _cut(one: PreparedArticle, lead: int, pipeline: TextPipeline) -> PreparedArticle:
    if len(one.sentences) <= lead:
        return one
    kept = one.sentences[:lead]
    counts = pipeline.count(kept, one.article.lang)
    return replace(one, sentences=kept, counts=counts, vectors=one.vectors[:lead])


def _placed(plan: BenchPlan) -> list[Placed]:
    system = our_systems(plan)[0]
    return [
        (
            {"encoder": encoder, "label": f"encoder {encoder}"},
            Job(
                system=system,
                stream=stream,
                # any: the task encodes anew, only the end of the stream
                encoder=plan.encoders[0],
                task=_TASK,
                arguments={
                    "system": system,
                    "encoder": encoder,
                    "sentences": SENTENCES,
                    "lead": LEAD,
                },
            ),
        )
        for stream in plan.streams
        for encoder in dict.fromkeys([*plan.encoders, *WITHOUT_TORCH])
    ]


def _about_plan(plan: BenchPlan) -> dict[str, Plain]:
    return {
        "system": our_systems(plan)[0],
        "sentences": SENTENCES,
        "lead": LEAD,
    }


ENCODERS = Sweep(
    name="encoders",
    title="Encoders: accuracy and speed",
    paper="beyond the paper",
    text=encoder_text,
    blocks=encoder_blocks,
    placed=_placed,
    about=_about_plan,
)
"""The experiment on encoders."""
