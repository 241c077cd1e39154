"""Articles come out the same, in whatever process their blocks are prepared."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from ustory.core.arrays import SentenceVectors
from ustory.core.article import Article
from ustory.core.errors import InputError
from ustory.core.protocols import Encoder, Outcome, Shard, Shared, Value
from ustory.encode import load_encoder
from ustory.engine import prepare as prepare_blocks
from ustory.engine.executors import InlineExecutor
from ustory.engine.prepare import Preparer, Stopwatch, prepare
from ustory.testing import TinyEncoder
from ustory.text import load_pipeline
from ustory.text.fast import FastPipeline

NOW = datetime(2024, 3, 4, tzinfo=UTC)
ARTICLES = [
    Article(
        id=f"a{number}",
        published_at=NOW + timedelta(minutes=number),
        title=f"Flood number {number} in Velm",
        text=f"It rains for {number} days. Boats come, and {number} people wait.",
    )
    for number in range(11)
]


class Elsewhere(InlineExecutor):
    """Does as if it were another process: what goes there and back is pickled."""

    apart = True

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def map(
        self,
        task: Callable[[Shard, Value], Outcome],
        shards: Sequence[Shard],
        shared: Shared[Value],
    ) -> list[Outcome]:
        """Return the outcomes, in order."""
        self.sizes += [len(shard) for shard in shards]  # type: ignore[arg-type]
        sent = pickle.loads(pickle.dumps((task, shards, shared)))
        found: list[Outcome] = pickle.loads(pickle.dumps(super().map(*sent)))
        return found


class Counting(TinyEncoder):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return the vectors."""
        self.calls.append(len(sentences))
        return super().encode(sentences)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare_blocks, "ARTICLES_PER_TASK", 4)


def assert_as_if_here(
    articles: Sequence[Article], encoder: Encoder, executor: Elsewhere
) -> None:
    pipeline = load_pipeline("fast")
    expected = prepare(articles, FastPipeline(), TinyEncoder(), Stopwatch())

    preparer = Preparer(pipeline, encoder, Stopwatch(), executor)
    found = preparer.prepare(articles, 1)

    for one, other in zip(found, expected, strict=True):
        assert (one.article, one.sentences) == (other.article, other.sentences)
        assert one.counts.terms == other.counts.terms
        np.testing.assert_array_equal(one.counts.tf, other.counts.tf)
        np.testing.assert_array_equal(one.vectors, other.vectors)
        assert one.vectors.dtype == other.vectors.dtype


def test_blocks_are_prepared_elsewhere_and_put_together() -> None:
    executor = Elsewhere()

    assert_as_if_here(ARTICLES, load_encoder("tiny"), executor)

    assert executor.sizes == [4, 4, 3]


def test_an_encoder_that_was_given_encodes_here_in_one_call() -> None:
    executor, encoder = Elsewhere(), Counting()

    assert_as_if_here(ARTICLES, encoder, executor)

    assert executor.sizes == [4, 4, 3]
    assert encoder.calls == [3 * len(ARTICLES)]


def test_a_few_articles_stay_here() -> None:
    executor = Elsewhere()

    assert_as_if_here(ARTICLES[:4], load_encoder("tiny"), executor)

    assert executor.sizes == []


def test_a_pipeline_that_was_given_works_here() -> None:
    executor = Elsewhere()
    preparer = Preparer(FastPipeline(), load_encoder("tiny"), Stopwatch(), executor)

    assert [p.article for p in preparer.prepare(ARTICLES, 1)] == ARTICLES
    assert executor.sizes == []


def test_articles_of_no_slide_stay_here() -> None:
    executor = Elsewhere()
    parts = load_pipeline("fast"), load_encoder("tiny")
    preparer = Preparer(*parts, Stopwatch(), executor)

    assert [p.article for p in preparer.prepare(ARTICLES)] == ARTICLES
    assert executor.sizes == []


def test_the_first_article_without_text_is_named() -> None:
    silent = [Article(id=f"silent {n}", published_at=NOW) for n in range(2)]
    articles = [*ARTICLES[:6], silent[0], *ARTICLES[6:], silent[1]]
    parts = load_pipeline("fast"), load_encoder("tiny")

    with pytest.raises(InputError, match="'silent 0' has neither"):
        Preparer(*parts, Stopwatch(), Elsewhere()).prepare(articles, 1)


def test_the_time_is_told_apart_as_the_workers_spent_it() -> None:
    stopwatch = Stopwatch()
    parts = load_pipeline("fast"), load_encoder("tiny")

    Preparer(*parts, stopwatch, Elsewhere()).prepare(ARTICLES, 1)

    assert stopwatch.seconds["text"] > 0
    assert stopwatch.seconds["encoding"] > 0
