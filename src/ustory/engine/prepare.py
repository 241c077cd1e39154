"""Raw articles to prepared ones: sentences, their terms, their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise

import numpy as np

from ustory.core.arrays import Matrix
from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Encoder, TextPipeline
from ustory.engine.stopwatch import Stopwatch


def prepare(
    articles: Sequence[Article],
    pipeline: TextPipeline,
    encoder: Encoder,
    stopwatch: Stopwatch,
) -> list[PreparedArticle]:
    """Return the articles ready for the engine, in the same order.

    All their sentences go to the encoder in one call, which is what it is fast
    at. Steps `text` and `encoding` are timed.
    """
    with stopwatch("text"):
        sentences = [_split(article, pipeline) for article in articles]
        counts = [
            pipeline.count(split, article.lang)
            for article, split in zip(articles, sentences, strict=True)
        ]
    with stopwatch("encoding"):
        rows = _encode(list(chain.from_iterable(sentences)), encoder)
    starts = accumulate(map(len, sentences), initial=0)
    return [
        PreparedArticle(
            article=article, sentences=split, counts=terms, vectors=rows[first:end]
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


def _encode(sentences: Sequence[str], encoder: Encoder) -> Matrix:
    """Return float16 numbers, held as float32: the engine works with these."""
    if not sentences:
        return np.zeros((0, encoder.dim), dtype=np.float32)
    rows = np.asarray(encoder.encode(sentences), dtype=np.float16)
    if rows.shape != (len(sentences), encoder.dim):
        raise ConfigError(
            f"the encoder {encoder.name!r} must give {len(sentences)} rows of "
            f"{encoder.dim}, it gave shape {rows.shape}; try it with "
            "ustory.testing.check_encoder"
        )
    return rows.astype(np.float32)
