"""The facts of a stream are what plain loops over its articles find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import log, prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.strategies import prepare

from ustory.core.article import PreparedArticle
from ustory_bench.describe.facts import RARE, facts_of
from ustory_bench.describe.likeness import weighted_quantiles
from ustory_bench.describe.texts import words

WEEK = timedelta(days=7)
NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)
TOPICS = ("quake", "city", "vote", "court", "rain", "flood", "match", "goal")

Told = tuple[str, float, str]
"""Label, day and text; sentences end with full stops."""


def stream(told: Sequence[Told]) -> list[PreparedArticle]:
    return [
        prepare(
            f"a{place:03d}",
            NOON + timedelta(days=day),
            [sentence.split() for sentence in text.split(".")],
            label=label,
        )
        for place, (label, day, text) in enumerate(sorted(told, key=lambda t: t[1]))
    ]


def terms(article: PreparedArticle) -> dict[str, int]:
    counts = article.counts
    return dict(zip(counts.terms, counts.tf.tolist(), strict=True))


def appearances(every: Sequence[dict[str, int]]) -> Counter[str]:
    return Counter(term for each in every for term in each)


def cosine(a: dict[str, float], b: dict[str, float]) -> float:
    dot = sum(a[term] * b[term] for term in a.keys() & b.keys())
    lengths = (sum(value**2 for value in each.values()) for each in (a, b))
    return dot / sqrt(prod(lengths))


def plain_facts(articles: Sequence[PreparedArticle]) -> dict[str, list[float]]:
    """Return the cosines and shares that the facts are made of, one pair at a time."""
    every = [terms(one) for one in articles]
    df, few = appearances(every), max(RARE * len(articles), 1)
    rows = [
        {t: (1 + log(n)) * log(1 + len(every) / df[t]) for t, n in each.items()}
        for each in every
    ]
    found: dict[str, list[float]] = {"within": [], "outside": [], "pair": []}
    for one in range(len(articles)):
        rare = {t for t in every[one] if " " not in t and df[t] <= few}
        own, others = around(articles, one)
        found["within"] += [cosine(rows[one], rows[other]) for other in own]
        shares = [len(rare & every[other].keys()) for other in own]
        if others:
            nearest = max(cosine(rows[one], rows[other]) for other in others)
            found["outside"].append(nearest)
        if rare and own:
            found["pair"].append(float(np.mean(shares)) / len(rare))
    return found


def around(
    articles: Sequence[PreparedArticle], one: int
) -> tuple[list[int], list[int]]:
    """Return the articles less than a week away: of the same story, and of others."""
    mine = articles[one].article
    near = [
        other
        for other, each in enumerate(articles)
        if other != one and abs(mine.published_at - each.article.published_at) < WEEK
    ]
    own = [other for other in near if articles[other].article.label == mine.label]
    return own, [other for other in near if other not in own]


_WORDS = st.sampled_from(TOPICS)
_TEXTS = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join)
_TOLD = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from([0.0, 1.0, 5.0, 9.0]), _TEXTS),
    min_size=3,
    max_size=8,
)


@given(told=_TOLD)
def test_facts_are_those_of_all_pairs(told: list[Told]) -> None:
    articles = stream(told)

    found = facts_of(articles, WEEK)
    plain = plain_facts(articles)

    if plain["outside"]:
        ordered = sorted(plain["outside"])
        middle = ordered[(len(ordered) - 1) // 2]
        assert found["body_outside_50"] == pytest.approx(middle, abs=1e-5)
    if plain["within"]:
        assert found["body_within_10"] is not None
        assert min(plain["within"]) - 1e-5 <= found["body_within_10"]
        assert found["body_within_90"] is not None
        assert found["body_within_90"] <= max(plain["within"]) + 1e-5
    else:
        assert found["body_within_50"] is None
    if plain["pair"]:
        assert found["rare_pair"] == pytest.approx(np.mean(plain["pair"]))
    else:
        assert found["rare_pair"] is None


def test_pairs_of_a_large_story_do_not_count_more() -> None:
    large = [("a", 0.0, f"flood river bridge word{n} other{n}") for n in range(9)]
    small = [("b", 0.0, "vote city hall party"), ("b", 0.0, "vote city hall party")]

    found = facts_of(stream([*large, *small]), WEEK)

    # 2 of 11 articles have a cosine of 1, though they make 1 of 37 pairs
    assert found["body_within_90"] == pytest.approx(1.0)
    assert found["body_within_50"] is not None
    assert found["body_within_50"] < 0.5


def test_stories_are_counted_in_articles_and_whole_days() -> None:
    told = [
        ("a", 0.0, "flood in the east"),
        ("a", 0.6, "flood in the west"),
        ("a", 3.0, "flood in the north"),
        ("b", 1.0, "goal in the last minute"),
        ("c", 1.0, "storm over the sea"),
        ("c", 1.2, "storm over the land"),
    ]

    found = facts_of(stream(told), WEEK)

    assert found["alone"] == pytest.approx(1 / 6)
    assert (found["size_10"], found["size_90"]) == (2.0, 3.0)
    assert (found["days_10"], found["days_90"]) == (0.0, 3.0)


def test_quotes_are_counted_and_copies_left_out() -> None:
    quote = "we will build the bridge again at once"
    whole = " ".join(f"word{n}" for n in range(40))
    told = [
        ("a", 0.0, f"rain. the river rose by two metres overnight. {quote}"),
        ("a", 0.1, f"flood. nobody in the town was hurt they say. {quote}"),
        ("b", 0.2, f"{whole}. {whole}"),
        ("b", 0.3, f"{whole}. {whole}"),
    ]

    found = facts_of(stream(told), WEEK)

    assert found["copies"] == pytest.approx(1 / 4)
    assert found["quoted"] == pytest.approx(2 / 5)


def test_without_labels_texts_are_described_all_the_same() -> None:
    articles = [
        prepare("a", NOON, [["flood", "east"]]),
        prepare("b", NOON, [["goal", "goal", "late"]]),
    ]

    found = facts_of(articles, WEEK)

    assert found["words_50"] == 2.0
    assert found["new_words"] == pytest.approx(4 / 5)
    assert "size_50" not in found


def test_different_words_are_counted_among_the_first() -> None:
    short = [prepare("a", NOON, [["flood", "east"]])]
    vocabulary = [f"w{n}" for n in range(1_000)]
    long = [prepare(f"a{n}", NOON, [vocabulary]) for n in range(100)]
    long.append(prepare("z", NOON, [["after"]]))

    assert words(short) == {"different": None, "once": None}
    assert words(long) == {"different": 1_000.0, "once": 0.0}


def test_quantiles_go_by_weight() -> None:
    values, weights = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.1, 0.8])

    assert weighted_quantiles(values, weights, (0.1, 0.5, 0.9)) == [1.0, 3.0, 3.0]
