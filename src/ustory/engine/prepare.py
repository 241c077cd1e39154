"""Articles to prepared articles: text, terms and vectors, block by block."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import accumulate, chain, pairwise
from pathlib import Path

import numpy as np

from ustory.core.arrays import Matrix, SentenceVectors
from ustory.core.article import Article, PreparedArticle, TermCounts
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Encoder, Executor, TextPipeline
from ustory.core.registry import recipe_of
from ustory.core.spans import EPOCH, microseconds
from ustory.encode import load_encoder
from ustory.encode.gist import gist_text, reads, says_something
from ustory.text import load_pipeline
from ustory.text.languages import language_of


class Stopwatch:
    """Adds up the seconds spent in each named step."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Time one step."""
        start = self._clock()
        try:
            yield
        finally:
            self.seconds[step] += self._clock() - start


_MAX_COUNTED_ARTICLES, _MAX_COUNTED_CHARACTERS = 64, 2_000_000
"""Articles whose terms are counted in one go, and characters of their sentences."""


def prepare(
    articles: Sequence[Article],
    pipeline: TextPipeline,
    encoder: Encoder,
    stopwatch: Stopwatch,
    gist_encoder: Encoder | None = None,
) -> list[PreparedArticle]:
    """Return the articles ready for the engine, in the same order.

    All their sentences go to the encoder in one call, which is what it is fast at;
    their terms are counted meanwhile. The stopwatch times `text`, and as
    `encoding` the wait after it.
    """
    with ThreadPoolExecutor(1) as thread:
        with stopwatch("text"):
            sentences = [_split(article, pipeline) for article in articles]
            every = list(chain.from_iterable(sentences))
            encoding = thread.submit(encode_rows, every, encoder)
            reading = thread.submit(read_gists, articles, sentences, gist_encoder)
            counts = _count(articles, sentences, pipeline)
        with stopwatch("encoding"):
            rows, gists = encoding.result(), reading.result()
    return put_together(articles, sentences, counts, rows, gists)


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
    gists: Sequence[Matrix | None],
) -> list[PreparedArticle]:
    """Return each article with what belongs to it; `rows` are of all sentences.

    They are float16 numbers, held as float32: the engine works with these.
    """
    starts = accumulate(map(len, sentences), initial=0)
    vectors = rows.astype(np.float32)
    return [
        PreparedArticle(
            article=article,
            sentences=split,
            counts=terms,
            vectors=vectors[first:end],
            gist=gist,
        )
        for article, split, terms, (first, end), gist in zip(
            articles, sentences, counts, pairwise(starts), gists, strict=True
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
    """Return the terms of each article, counted together if the pipeline can."""
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
    """Yield groups of positions of articles, fewer if their texts are long."""
    part: list[int] = []
    characters = 0
    for place in places:
        size = sum(map(len, sentences[place]))
        if part and (
            len(part) == _MAX_COUNTED_ARTICLES
            or characters + size > _MAX_COUNTED_CHARACTERS
        ):
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


def read_gists(
    articles: Sequence[Article],
    sentences: Sequence[Sequence[str]],
    encoder: Encoder | None,
) -> list[Matrix | None]:
    """Return the gist of each article in a language that the encoder knows.

    A text of a few letters has none.
    """
    found: list[Matrix | None] = [None] * len(articles)
    if encoder is None:
        return found
    texts = [gist_text(split) for split in sentences]
    known = [
        place
        for place, article in enumerate(articles)
        if reads(encoder, language_of(article.lang)) and says_something(texts[place])
    ]
    rows = encode_rows([texts[place] for place in known], encoder)
    for place, row in zip(known, rows.astype(np.float32), strict=True):
        found[place] = row
    return found


ARTICLES_PER_TASK = 64
"""Articles prepared together. Fixed, so that results never depend on the executor."""


@dataclass(frozen=True, slots=True)
class PreparedParts:
    """The recipes of a worker's own pipeline and encoder."""

    pipeline: str
    encoder: tuple[str, Path | None] | None
    """Its name and its cache; None if the driver encodes sentences."""
    gist_encoder: tuple[str, Path | None] | None = None
    """The same of gists."""


@dataclass(frozen=True, slots=True)
class Block:
    """What a worker has found in a block of articles."""

    sentences: list[tuple[str, ...]]
    counts: list[TermCounts]
    rows: SentenceVectors | None
    gists: list[Matrix | None] | None
    """None if the driver reads them."""
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
        gist_encoder: Encoder | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._encoder = encoder
        self._gist_encoder = gist_encoder
        self._stopwatch = stopwatch
        self._executor = executor if executor is not None and executor.apart else None
        text = recipe_of(pipeline)
        known, gist = _recipe(encoder), _recipe(gist_encoder)
        self._parts = PreparedParts(text[0], known, gist) if text is not None else None

    def prepare(
        self, articles: Sequence[Article], slide: int | None = None
    ) -> list[PreparedArticle]:
        """Return the articles ready for the engine, in the same order.

        Workers of the executor prepare the articles of a slide. A pipeline or encoder
        that was not made by name cannot be rebuilt by a worker, so it runs here; so do
        few articles, which are not worth the transfer.
        """
        executor, parts, few = (
            self._executor,
            self._parts,
            len(articles) <= ARTICLES_PER_TASK,
        )
        if few or slide is None or parts is None or executor is None:
            parts_here = self._pipeline, self._encoder, self._stopwatch
            return prepare(articles, *parts_here, self._gist_encoder)
        began = time.perf_counter()
        starts = range(0, len(articles), ARTICLES_PER_TASK)
        blocks = executor.map(
            read_block,
            [articles[start : start + ARTICLES_PER_TASK] for start in starts],
            executor.share(slide, parts),
        )
        self._note(blocks, time.perf_counter() - began)
        sentences = [each for block in blocks for each in block.sentences]
        counts = [each for block in blocks for each in block.counts]
        gists = self._gists(articles, sentences, blocks)
        return put_together(articles, sentences, counts, self._rows(blocks), gists)

    def _gists(
        self,
        articles: Sequence[Article],
        sentences: Sequence[Sequence[str]],
        blocks: Sequence[Block],
    ) -> list[Matrix | None]:
        read = [block.gists for block in blocks if block.gists is not None]
        if len(read) == len(blocks):
            return list(chain.from_iterable(read))
        with self._stopwatch("encoding"):
            return read_gists(articles, sentences, self._gist_encoder)

    def _rows(self, blocks: Sequence[Block]) -> SentenceVectors:
        rows = [block.rows for block in blocks if block.rows is not None]
        with self._stopwatch("encoding"):
            if len(rows) == len(blocks):
                return np.concatenate(rows)
            every = chain.from_iterable(chain(*(block.sentences for block in blocks)))
            return encode_rows(list(every), self._encoder)

    def _note(self, blocks: Sequence[Block], took: float) -> None:
        """Divide the time that passed as the workers spent it."""
        spent = np.array([block.seconds for block in blocks]).sum(axis=0)
        for step, seconds in zip(("text", "encoding"), spent.tolist(), strict=True):
            self._stopwatch.seconds[step] += took * seconds / max(spent.sum(), 1e-9)


def stamp(end: datetime) -> int:
    """Return the number by which executors know a slide: when it ends.

    >>> stamp(EPOCH.replace(second=1))
    1000000
    """
    return microseconds(end - EPOCH)


def read_block(articles: Sequence[Article], parts: PreparedParts) -> Block:
    """Return what a worker finds in a block: sentences, terms and vectors."""
    began = time.perf_counter()
    sentences, counts = read_texts(articles, _pipeline(parts.pipeline))
    read = time.perf_counter()
    rows = None
    if parts.encoder is not None:
        every = list(chain.from_iterable(sentences))
        rows = encode_rows(every, _encoder(*parts.encoder))
    gists = None
    if parts.gist_encoder is not None:
        gists = read_gists(articles, sentences, _encoder(*parts.gist_encoder))
    spent = read - began, time.perf_counter() - read
    return Block(sentences, counts, rows, gists, spent)


def _recipe(encoder: Encoder | None) -> tuple[str, Path | None] | None:
    """Return how a worker makes an encoder of its own, None if it cannot."""
    found = recipe_of(encoder)
    return (found[0], found[1]) if found else None


@cache
def _pipeline(name: str) -> TextPipeline:
    return load_pipeline(name)


@cache
def _encoder(name: str, file: Path | None) -> Encoder:
    return load_encoder(name, file)
