"""What the simulator gives: exact, in order, lazy, and the same everywhere."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tracemalloc
from collections import Counter
from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

import numpy as np
import pytest

from ustory.core.arrays import Indices
from ustory.core.article import Article
from ustory.text import load_pipeline
from ustory_bench.simulate import SimulationPlan, simulate, stream
from ustory_bench.simulate.articles import Writer, Written

PLAN = SimulationPlan(articles=400, stories=50, days=20, sentences=12, copies=0.3)
_SCRIPT = """
import hashlib
from dataclasses import astuple
from ustory_bench.simulate import SimulationPlan, simulate
plan = SimulationPlan(articles=400, stories=50, days=20, sentences=12, copies=0.3)
text = "".join(repr(astuple(article)) for article in simulate(plan))
print(hashlib.sha256(text.encode()).hexdigest())
"""


@pytest.fixture(scope="module")
def articles() -> list[Article]:
    return list(simulate(PLAN))


def shingles(article: Article) -> set[tuple[str, ...]]:
    words = article.text.split()
    return set(zip(words, words[1:], words[2:], strict=False))


def copies(articles: list[Article]) -> list[tuple[Article, Article]]:
    """Return each copy with what it copies: the earlier report most like it."""
    found = []
    for place, article in enumerate(articles):
        if not article.text.startswith("("):
            continue
        mine = shingles(article)
        earlier = [
            a
            for a in articles[:place]
            if a.label == article.label and not a.text.startswith("(")
        ]
        best = max(earlier, key=lambda other: len(shingles(other) & mine))
        found.append((article, best))
    return found


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_the_stream_is_the_same_in_another_process(
    hash_seed: str, articles: list[Article]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    text = "".join(repr(astuple(article)) for article in articles)

    assert done.stdout.strip() == hashlib.sha256(text.encode()).hexdigest()


def test_batches_make_no_difference(
    articles: list[Article], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_BATCH", 7)

    assert list(simulate(PLAN)) == articles


def test_another_seed_is_another_stream(articles: list[Article]) -> None:
    others = list(simulate(replace(PLAN, seed=1)))

    assert not {a.text for a in articles} & {a.text for a in others}


def test_counts_are_exact(articles: list[Article]) -> None:
    labels = Counter(article.label for article in articles)
    stories = {name: n for name, n in labels.items() if (name or "")[:5] == "story"}
    noise = {name: n for name, n in labels.items() if (name or "")[:5] == "noise"}

    assert len(articles) == 400
    assert len(stories) == 50
    assert min(stories.values()) >= 2
    assert len(noise) == PLAN.noise_count == 40
    assert set(noise.values()) == {1}
    assert len(stories) + len(noise) == len(labels)


@pytest.mark.parametrize("count", [1, 2, 127, 128, 129])
def test_any_number_of_articles_comes_out(count: int) -> None:
    plan = SimulationPlan(articles=count, days=3, sentences=2)

    assert sum(1 for _ in simulate(plan)) == count


def test_articles_come_in_order_of_time_within_the_days(
    articles: list[Article],
) -> None:
    end = PLAN.start + timedelta(days=PLAN.days)

    assert all(a.published_at <= b.published_at for a, b in pairwise(articles))
    assert PLAN.start <= articles[0].published_at
    assert articles[-1].published_at < end
    assert all(article.published_at.tzinfo is UTC for article in articles)
    assert len({article.id for article in articles}) == len(articles)
    assert len({article.published_at.hour for article in articles}) == 24


def test_the_start_moves_the_stream_and_nothing_else(articles: list[Article]) -> None:
    start = datetime(2020, 2, 28, tzinfo=UTC)
    moved = list(simulate(replace(PLAN, start=start)))

    assert [a.text for a in moved] == [a.text for a in articles]
    assert moved[0].published_at - start == articles[0].published_at - PLAN.start


def test_texts_have_about_as_many_sentences_as_planned(
    articles: list[Article],
) -> None:
    pipeline = load_pipeline("fast")
    originals = [a for a in articles if not a.text.startswith("(")]
    counts = [len(pipeline.split(article)) - 1 for article in originals]

    assert abs(np.mean(counts) - PLAN.sentences) < 1.5
    assert min(counts) < 8 < 18 < max(counts)


def test_sentences_are_mostly_unique() -> None:
    plan = SimulationPlan(articles=300, sentences=25)
    pipeline = load_pipeline("fast")
    every = [s for a in simulate(plan) for s in pipeline.split(a)]

    assert len(set(every)) > 0.9 * len(every)


def test_copies_are_nearly_word_for_word_and_from_elsewhere(
    articles: list[Article],
) -> None:
    pairs = copies(articles)

    assert 0.15 * len(articles) < len(pairs) < 0.3 * len(articles)
    for copy, original in pairs:
        mine, first = shingles(copy), shingles(original)
        assert len(mine & first) > 0.7 * len(mine)
        assert copy.source != original.source
        assert copy.text != original.text
        assert copy.published_at >= original.published_at


def test_without_copies_no_text_resembles_another() -> None:
    articles = list(simulate(replace(PLAN, copies=0.0)))
    sets = [shingles(article) for article in articles]

    assert not any(article.text.startswith("(") for article in articles)
    for one, next_one in pairwise(sets):
        assert len(one & next_one) < 0.2 * len(one)


def test_the_first_articles_come_before_the_rest_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    write = Writer.write

    def noting(self: Writer, numbers: Indices) -> list[Written]:
        asked.append(int(numbers[-1]))
        return write(self, numbers)

    monkeypatch.setattr(Writer, "write", noting)
    first = list(islice(simulate(SimulationPlan(articles=100_000, days=30)), 3))

    assert len(first) == 3
    assert len(asked) == 1
    assert asked[0] < 1_000


def test_a_long_stream_is_never_held_as_a_whole() -> None:
    texts = 0
    run = simulate(SimulationPlan(articles=6_000, days=30, sentences=25))
    next(run)
    tracemalloc.start()
    for article in run:
        texts += len(article.text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert texts > 10_000_000
    assert peak < texts
