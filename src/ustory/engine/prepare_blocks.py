"""Articles prepared block by block, wherever an executor has its workers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np

from ustory.core.arrays import SentenceVectors
from ustory.core.article import Article, PreparedArticle, TermCounts
from ustory.core.protocols import Encoder, Executor, TextPipeline
from ustory.core.registry import recipe_of
from ustory.core.spans import EPOCH, microseconds
from ustory.encode import load_encoder
from ustory.engine.prepare import encode_rows, prepare, put_together, read_texts
from ustory.engine.stopwatch import Stopwatch
from ustory.text import load_pipeline

BLOCK = 64
"""Articles prepared together. Fixed, so that results never depend on who prepares."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a worker makes its own pipeline and encoder of."""

    pipeline: str
    encoder: tuple[str, Path | None] | None
    """Its name and its cache; None where sentences are encoded by the driver."""


@dataclass(frozen=True, slots=True)
class Block:
    """What a worker has found in a block of articles."""

    sentences: list[tuple[str, ...]]
    counts: list[TermCounts]
    rows: SentenceVectors | None
    seconds: tuple[float, float]
    """Spent on text and on encoding."""


class Preparer:
    """Prepares articles with one pipeline and one encoder."""

    def __init__(
        self,
        pipeline: TextPipeline,
        encoder: Encoder,
        stopwatch: Stopwatch,
        executor: Executor | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._encoder = encoder
        self._stopwatch = stopwatch
        self._executor = executor if executor is not None and executor.apart else None
        text, encoding = recipe_of(pipeline), recipe_of(encoder)
        known = encoding and (encoding[0], encoding[1])
        self._parts = Parts(text[0], known or None) if text is not None else None

    def prepare(
        self, articles: Sequence[Article], slide: int | None = None
    ) -> list[PreparedArticle]:
        """Return the articles ready for the engine, in the same order.

        Those of a slide are prepared by the executor's workers. A pipeline or an
        encoder that somebody made themselves cannot be made again by a worker, and
        works here; few articles are not worth the way.
        """
        executor, parts, few = self._executor, self._parts, len(articles) <= BLOCK
        if few or slide is None or parts is None or executor is None:
            return prepare(articles, self._pipeline, self._encoder, self._stopwatch)
        began = time.perf_counter()
        starts = range(0, len(articles), BLOCK)
        blocks = executor.map(
            read_block,
            [articles[start : start + BLOCK] for start in starts],
            executor.share(slide, parts),
        )
        self._note(blocks, time.perf_counter() - began)
        sentences = [each for block in blocks for each in block.sentences]
        counts = [each for block in blocks for each in block.counts]
        return put_together(articles, sentences, counts, self._rows(blocks))

    def _rows(self, blocks: Sequence[Block]) -> SentenceVectors:
        rows = [block.rows for block in blocks if block.rows is not None]
        with self._stopwatch("encoding"):
            if len(rows) == len(blocks):
                return np.concatenate(rows)
            every = chain.from_iterable(chain(*(block.sentences for block in blocks)))
            return encode_rows(list(every), self._encoder)

    def _note(self, blocks: Sequence[Block], took: float) -> None:
        """Note the time that passed, as the workers spent it."""
        spent = np.array([block.seconds for block in blocks]).sum(axis=0)
        for step, seconds in zip(("text", "encoding"), spent.tolist(), strict=True):
            self._stopwatch.seconds[step] += took * seconds / max(spent.sum(), 1e-9)


def stamp(end: datetime) -> int:
    """Return the number by which executors know a slide: when it ends.

    >>> stamp(EPOCH.replace(second=1))
    1000000
    """
    return microseconds(end - EPOCH)


def read_block(articles: Sequence[Article], parts: Parts) -> Block:
    """Return what a worker finds in a block: sentences, terms and vectors."""
    began = time.perf_counter()
    sentences, counts = read_texts(articles, _pipeline(parts.pipeline))
    read = time.perf_counter()
    rows = None
    if parts.encoder is not None:
        every = list(chain.from_iterable(sentences))
        rows = encode_rows(every, _encoder(*parts.encoder))
    return Block(sentences, counts, rows, (read - began, time.perf_counter() - read))


@cache
def _pipeline(name: str) -> TextPipeline:
    return load_pipeline(name)


@cache
def _encoder(name: str, file: Path | None) -> Encoder:
    return load_encoder(name, file)
