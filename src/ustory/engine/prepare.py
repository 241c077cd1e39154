"""Raw articles to prepared ones: sentences, their terms, their vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, chain, pairwise

import numpy as np

from ustory.core.arrays import SentenceVectors
from ustory.core.article import Article, PreparedArticle, TermCounts
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Encoder, TextPipeline
from ustory.engine.stopwatch import Stopwatch

_TOGETHER, _CHARACTERS = 64, 2_000_000
"""Articles whose terms are counted in one go, and characters of their sentences."""


def prepare(
    articles: Sequence[Article],
    pipeline: TextPipeline,
    encoder: Encoder,
    stopwatch: Stopwatch,
) -> list[PreparedArticle]:
    """Return the articles ready for the engine, in the same order.

    All their sentences go to the encoder in one call, which is what it is fast at;
    their terms are counted meanwhile. Timed are `text`, and as `encoding` what is
    waited for beyond it.
    """
    with ThreadPoolExecutor(1) as beside:
        with stopwatch("text"):
            sentences = [_split(article, pipeline) for article in articles]
            every = list(chain.from_iterable(sentences))
            encoding = beside.submit(encode_rows, every, encoder)
            counts = _count(articles, sentences, pipeline)
        with stopwatch("encoding"):
            rows = encoding.result()
    return put_together(articles, sentences, counts, rows)


def read_texts(
    articles: Sequence[Article], pipeline: TextPipeline
) -> tuple[list[tuple[str, ...]], list[TermCounts]]:
    """Return the sentences of each article and their terms."""
    sentences = [_split(article, pipeline) for article in articles]
    return sentences, _count(articles, sentences, pipeline)


def put_together(
    articles: Sequence[Article],
    sentences: Sequence[tuple[str, ...]],
    counts: Sequence[TermCounts],
    rows: SentenceVectors,
) -> list[PreparedArticle]:
    """Return each article with what belongs to it; `rows` are of all sentences.

    They are float16 numbers, held as float32: the engine works with these.
    """
    starts = accumulate(map(len, sentences), initial=0)
    vectors = rows.astype(np.float32)
    return [
        PreparedArticle(
            article=article, sentences=split, counts=terms, vectors=vectors[first:end]
        )
        for article, split, terms, (first, end) in zip(
            articles, sentences, counts, pairwise(starts), strict=True
        )
    ]


def _split(article: Article, pipeline: TextPipeline) -> tuple[str, ...]:
    sentences = pipeline.split(article)
    if not any(sentence.strip() for sentence in sentences):
        raise InputError(
            "no-text",
            f"an article needs a title or a text; article {article.id!r} has neither: "
            "leave it out",
            file="stream",
            line=0,
        )
    return sentences


def _count(
    articles: Sequence[Article],
    sentences: Sequence[Sequence[str]],
    pipeline: TextPipeline,
) -> list[TermCounts]:
    """Return the terms of each article, counted together where the pipeline can."""
    together = getattr(pipeline, "count_all", None)
    if together is None:
        return [
            pipeline.count(split, article.lang)
            for article, split in zip(articles, sentences, strict=True)
        ]
    places: dict[str | None, list[int]] = {}
    for place, article in enumerate(articles):
        places.setdefault(article.lang, []).append(place)
    counts: dict[int, TermCounts] = {}
    for lang, mine in places.items():
        for part in _parts(mine, sentences):
            found = together([sentences[place] for place in part], lang)
            counts.update(zip(part, found, strict=True))
    return [counts[place] for place in range(len(articles))]


def _parts(
    places: Sequence[int], sentences: Sequence[Sequence[str]]
) -> Iterator[list[int]]:
    """Yield some places of articles after the other, few where their texts are long."""
    part: list[int] = []
    characters = 0
    for place in places:
        size = sum(map(len, sentences[place]))
        if part and (len(part) == _TOGETHER or characters + size > _CHARACTERS):
            yield part
            part, characters = [], 0
        part.append(place)
        characters += size
    if part:
        yield part


def encode_rows(sentences: Sequence[str], encoder: Encoder) -> SentenceVectors:
    """Return enc(s) of each sentence; an encoder that gives other shapes is refused."""
    if not sentences:
        return np.zeros((0, encoder.dim), dtype=np.float16)
    rows = np.asarray(encoder.encode(sentences), dtype=np.float16)
    if rows.shape != (len(sentences), encoder.dim):
        raise ConfigError(
            f"the encoder {encoder.name!r} must give {len(sentences)} rows of "
            f"{encoder.dim}, it gave shape {rows.shape}; try it with "
            "ustory.testing.check_encoder"
        )
    return rows
