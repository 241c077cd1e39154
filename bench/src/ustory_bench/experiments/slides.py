"""Beyond the paper: how often the window slides, against time and accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, time, timedelta
from hashlib import blake2b
from typing import Any

from ustory.core.article import PreparedArticle
from ustory.core.protocols import Discoverer
from ustory.core.settings import Settings
from ustory.core.spans import format_span
from ustory.core.story import Slide
from ustory.scores.identity import identity
from ustory.scores.windows import on_calendar
from ustory_bench.experiments.slide_figures import slide_blocks, slide_text
from ustory_bench.experiments.sweep_lines import Placed, Sweep
from ustory_bench.experiments.sweeps import (
    block_of,
    last_days,
    our_systems,
    score_windows,
    summary,
)
from ustory_bench.experiments.sweeps import warm as warm_system
from ustory_bench.runner.follow import (
    SlideStories,
    follow_slides,
    prepared_slides,
    rows,
)
from ustory_bench.runner.jobs import BenchPlan, Inputs, Job, Plain
from ustory_bench.runner.score import PROTOCOL, duration
from ustory_bench.runner.streams import Stream
from ustory_bench.system import find_system

ARTICLES = 600
"""Looked at, at the end of a stream: an hourly slide costs as much as a daily one."""

PARTS = (1, 2, 4, 8, 24)
"""Into how many slides the plan's is cut: 1 d, 12 h, 6 h, 3 h and 1 h of a day."""

_TASK = "ustory_bench.experiments.slides:measure"


def measure(
    inputs: Inputs, *, system: str, parts: int, articles: int
) -> dict[str, Plain]:
    """Run a system with slides cut into parts, and score it where whole ones end.

    There all slide sizes have the same articles in the window, so that their scores
    compare. The result is that of a sweep, with when stories are detected.
    """
    part = last_days(inputs.stream, articles)
    stream, whole = with_times(part), duration(inputs.settings.slide)
    settings = inputs.settings.with_({"slide": whole / parts})
    discoverer = find_system(system).make(settings, inputs.encoder)
    told = list(told_in_slides(discoverer, stream.articles, settings, whole))
    scored = score_windows(
        [each for each in told if on_calendar(each.end, whole)], stream, inputs.settings
    )
    found = identity(stream.truth, stream.published, rows(told), PROTOCOL).detection
    return {
        **summary(told, stream, scored, block_of(settings)),
        "spread": stream is not part,
        "detection": {
            "mean_hours": found.mean_hours,
            "by_second_article": found.by_second_article,
        },
    }


def warm(inputs: Inputs, arguments: Mapping[str, Plain]) -> None:
    """Let a system load and compile what it needs, so that times are of a warm one."""
    warm_system(inputs, {"system": arguments["system"]})


def with_times(stream: Stream) -> Stream:
    """Return a stream of days with times of day, by a fixed hash of each id.

    The same stream where an article has a time already.
    """
    if any(_time(one) != time.min for one in stream.articles):
        return stream
    spread = [_later(one) for one in stream.articles]
    spread.sort(key=lambda one: (one.article.published_at, one.article.id))
    return replace(stream, articles=tuple(spread))


def told_in_slides(
    discoverer: Discoverer[Any],
    articles: Sequence[PreparedArticle],
    settings: Settings,
    whole: timedelta,
) -> Iterator[SlideStories]:
    """Yield what a method says after each slide, to where a whole one ends.

    `ustory_bench.runner.follow.follow` ends with the slide of the last article.
    """
    yield from follow_slides(discoverer, _to_the_end(articles, settings, whole))


def _to_the_end(
    articles: Sequence[PreparedArticle], settings: Settings, whole: timedelta
) -> Iterator[Slide]:
    end = None
    for slide in prepared_slides(articles, settings):
        yield slide
        end = slide.end
    while end is not None and not on_calendar(end, whole):
        end += duration(settings.slide)
        yield Slide(end=end, articles=())


def _time(one: PreparedArticle) -> time:
    return one.article.published_at.astimezone(UTC).time()


def _later(one: PreparedArticle) -> PreparedArticle:
    digest = blake2b(one.article.id.encode("utf-8", "replace"), digest_size=4).digest()
    seconds = int.from_bytes(digest, "big") % 86_400
    moment = one.article.published_at + timedelta(seconds=seconds)
    return replace(one, article=replace(one.article, published_at=moment))


def _placed(plan: BenchPlan) -> list[Placed]:
    whole, system = duration(plan.settings.slide), our_systems(plan)[0]
    return [
        (
            {
                "x": format_span(whole / parts),
                "parts": parts,
                "label": f"slides of {format_span(whole / parts)}",
            },
            Job(
                system=system,
                stream=stream,
                encoder=plan.encoders[0],
                task=_TASK,
                arguments={"system": system, "parts": parts, "articles": ARTICLES},
            ),
        )
        for stream in plan.streams
        for parts in PARTS
    ]


def _about_plan(plan: BenchPlan) -> dict[str, Plain]:
    return {"system": our_systems(plan)[0], "articles": ARTICLES}


SLIDES = Sweep(
    name="slides",
    title="Slide size",
    paper="beyond the paper",
    text=slide_text,
    blocks=slide_blocks,
    placed=_placed,
    about=_about_plan,
)
"""The experiment on the slide size."""
