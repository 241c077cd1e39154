"""Scores by hand, who joins whom and when, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError, StateError
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.testing import TinyEncoder, check_discoverer, tiny_slides
from ustory.testing.parts import DAY, START, count_words
from ustory.text import load_pipeline
from ustory_bench.baselines.centroids import Dates, SubVector, closeness
from ustory_bench.baselines.miranda import PSE, SYSTEM, best
from ustory_bench.system import Parameter, System

SETTINGS, ENCODER = Settings(), TinyEncoder()
A, B, C = (1.0, 0.0), (0.8, 0.6), (0.6, 0.8)
ALONE = (0.0, 1.0)
NEAR = 1e-6


def article(
    name: str, day: float, vector: tuple[float, ...] = A, *sentences: str
) -> PreparedArticle:
    said = sentences or (name,)
    return PreparedArticle(
        article=Article(
            id=name,
            published_at=START + day * DAY,
            title=said[0],
            text=". ".join(said[1:]),
        ),
        sentences=said,
        counts=count_words(said),
        vectors=np.array([vector] * len(said), dtype=np.float32),
    )


def follow(
    system: System,
    articles: Mapping[int, Sequence[PreparedArticle]],
    **changes: Parameter,
) -> Mapping[str, str | None]:
    """Return the assignments after the last of the daily slides, by number."""
    discoverer = system.make(SETTINGS, ENCODER, **changes)
    state = discoverer.begin()
    for day, new in articles.items():
        slide = Slide(end=START + (day + 1) * DAY, articles=new)
        state, _ = discoverer.advance(state, slide)
    return discoverer.assignments(state)


def test_the_score_of_two_articles_is_as_by_hand() -> None:
    # n = 2. Title: "flood" alone, cosine 1. Body: "river" is in both, idf
    # ln(1 + 2/2) = ln 2, "town" and "coast" in one, idf ln(1 + 2/1) = ln 3; the
    # cosine is ln²2 / (ln²2 + ln²3) = 0.2847. Both: "flood" and "river" are common,
    # 2 ln²2 / (2 ln²2 + ln²3) = 0.4433. Each counts twice, as words and as lemmas.
    # No names. A day apart from newest, oldest and mean: 3 · exp(−1/18) = 2.8379.
    # 2 · (1 + 0.2847 + 0.4433) + 2.8379 = 6.2938
    common, rare = log(2) ** 2, log(3) ** 2
    body, both = common / (common + rare), 2 * common / (2 * common + rare)
    score = 2 * (1 + body + both) + 3 * exp(-1 / 18)
    assert score == pytest.approx(6.2938, abs=1e-4)
    slides = {
        0: [article("a", 0, A, "flood", "river town")],
        1: [article("b", 1, A, "flood", "river coast")],
    }

    joined = follow(SYSTEM, slides, threshold=score - NEAR)
    apart = follow(SYSTEM, slides, threshold=score + NEAR)

    assert joined == {"a": "s000001", "b": "s000001"}
    assert apart == {"a": "s000001", "b": "s000002"}


def test_names_of_the_body_count_twice() -> None:
    # No common word but "velm", which is the only name of both: names 1, twice.
    # Body and both have "velm" (df 2) beside words of one article (df 1): body
    # "in velm", ln²2 / (ln²2 + ln²3); both has one more of those, the title.
    common, rare = log(2) ** 2, log(3) ** 2
    body, both = common / (common + rare), common / (common + 2 * rare)
    score = 2 * (body + both + 1) + 3
    slides = {
        0: [
            article("a", 0, A, "flood", "in Velm"),
            article("b", 0, A, "rescue", "from Velm"),
        ]
    }

    joined = follow(SYSTEM, slides, threshold=score - NEAR)
    apart = follow(SYSTEM, slides, threshold=score + NEAR)

    assert len(set(joined.values())) == 1
    assert len(set(apart.values())) == 2


def test_a_cluster_is_the_sum_of_its_articles_and_has_three_dates() -> None:
    # A + B = (1.8, 0.6) of length √3.6; with C (0.6 · 1.8 + 0.8 · 0.6) / √3.6 =
    # 0.8222, which counts three times. C is 1, 2 and 1.5 days from newest, oldest
    # and mean: exp(−1/18) + exp(−4/18) + exp(−2.25/18) = 0.9460 + 0.8007 + 0.8825.
    score = 3 * 1.56 / sqrt(3.6) + exp(-1 / 18) + exp(-4 / 18) + exp(-2.25 / 18)
    assert score == pytest.approx(3 * 0.8222 + 2.6292, abs=1e-3)
    slides = {n: [article(name, n, v)] for n, name, v in ((0, "a", A), (1, "b", B))}
    # B to A: 3 · 0.8 + 3 · exp(−1/18) = 5.24, above any threshold here
    slides[2] = [article("c", 2, C)]

    joined = follow(PSE, slides, threshold=score - NEAR)
    apart = follow(PSE, slides, threshold=score + NEAR)

    assert set(joined.values()) == {"s000001"}
    assert apart == {"a": "s000001", "b": "s000001", "c": "s000002"}


def test_articles_that_left_the_window_no_longer_count() -> None:
    # On day 8 article A of day 0 is gone: the cluster is B of day 3 alone. With C
    # that is 3 · (0.8 · 0.6 + 0.6 · 0.8) + 3 · exp(−25/18) = 2.88 + 0.7482
    score = 3 * 0.96 + 3 * exp(-25 / 18)
    slides = {
        0: [article("a", 0, A)],
        3: [article("b", 3, B)],
        8: [article("c", 8, C)],
    }

    joined = follow(PSE, slides, threshold=score - NEAR)
    apart = follow(PSE, slides, threshold=score + NEAR)

    assert joined == {"b": "s000001", "c": "s000001"}
    assert apart == {"b": "s000001", "c": "s000002"}


def test_the_same_words_days_later_may_be_another_story() -> None:
    # the cosine is 1: 3 + 3 · exp(−1/18) = 5.84, 3 + 3 · exp(−25/18) = 3.75
    soon = {0: [article("a", 0)], 1: [article("b", 1)]}
    late = {0: [article("a", 0)], 5: [article("b", 5)]}

    assert len(set(follow(PSE, soon, threshold=4.0).values())) == 1
    assert len(set(follow(PSE, late, threshold=4.0).values())) == 2
    assert len(set(follow(PSE, late, threshold=4.0, sigma=9.0).values())) == 1


def test_of_equal_clusters_the_oldest_takes_an_article() -> None:
    # A and (0, 1) are apart: 3 · 0 + 3 < 4.6. The article between is at
    # 3 · 0.7071 + 3 = 5.12 from both.
    half = (sqrt(0.5), sqrt(0.5))
    three = [article("x", 0, ALONE), article("y", 0, A), article("z", 0, half)]

    found = follow(PSE, {0: three[::-1]}, threshold=4.6)

    assert found == {"x": "s000001", "y": "s000002", "z": "s000001"}


def test_nothing_joins_without_a_cluster_or_below_the_threshold() -> None:
    assert best(np.zeros(0), 1.0) is None
    assert best(np.array([0.5, 0.9]), 1.0) is None
    assert best(np.array([0.5, 1.0, 1.0]), 1.0) == 1


@given(st.integers(0, 10_000), st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_cosines_kept_while_articles_join_are_those_of_the_sums(
    seed: int, joins: list[int]
) -> None:
    rows = np.random.default_rng(seed).standard_normal((4 + len(joins), 5))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    clusters = [[0], [1, 2], [3]]
    new = list(range(4, 4 + len(joins)))
    sub = SubVector(2.0, rows, new, clusters)

    for place, cluster in enumerate(joins):
        sums = np.array([rows[each].sum(axis=0) for each in clusters])
        lengths = np.linalg.norm(sums, axis=1)
        expected = 2 * sums @ rows[new[place]] / lengths
        assert sub.cosines(place, 3) == pytest.approx(expected, abs=1e-9)
        sub.join(place, cluster)
        clusters[cluster].append(new[place])


def test_opposite_vectors_make_a_cluster_that_nothing_is_near() -> None:
    rows = np.array([[0.6, 0.8], [-0.6, -0.8], [0.6, 0.8]])
    sub = SubVector(1.0, rows, [1, 2], [[0]])

    sub.join(0, 0)

    assert sub.cosines(1, 1).tolist() == [0.0]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.floats(0, 20)), min_size=1, max_size=12),
    st.floats(0, 20),
)
def test_dates_kept_while_articles_join_are_those_of_the_articles(
    joins: list[tuple[int, float]], day: float
) -> None:
    dates, held = Dates.of([]), list[list[float]]()
    for wanted, joined in joins:
        cluster = min(wanted, len(held))
        dates = dates.joined(cluster, joined)
        if cluster == len(held):
            held.append([])
        held[cluster].append(joined)

    whole = Dates.of(held)

    assert closeness(dates, day, 3.0) == pytest.approx(closeness(whole, day, 3.0))
    assert dates.size.tolist() == whole.size.tolist()


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=lambda system: system.name)
def test_it_is_a_discoverer(system: System) -> None:
    check_discoverer(lambda: system.make(SETTINGS, ENCODER))


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=lambda system: system.name)
def test_no_article_ever_moves(system: System) -> None:
    discoverer = system.make(SETTINGS, ENCODER)
    state = discoverer.begin()
    first: dict[str, str | None] = {}
    for slide in tiny_slides():
        state, _ = discoverer.advance(state, slide)
        for name, story in discoverer.assignments(state).items():
            assert first.setdefault(name, story) == story


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=lambda system: system.name)
def test_articles_without_a_word_are_taken_in(system: System) -> None:
    discoverer = system.make(SETTINGS, ENCODER)
    nothing = load_pipeline("fast").count(("...",), "en")
    wordless = [replace(article(name, 0, A, "rain"), counts=nothing) for name in "ab"]

    state, _ = discoverer.advance(
        discoverer.begin(), Slide(end=START + DAY, articles=wordless)
    )

    assert discoverer.assignments(state).keys() == {"a", "b"}


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=lambda system: system.name)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"threshold": 0}, "threshold must be above 0 and finite, got 0"),
        ({"threshold": -1.0}, "threshold must be above 0"),
        ({"threshold": float("inf")}, "threshold must be above 0 and finite, got inf"),
        ({"threshold": float("nan")}, "threshold must be above 0 and finite, got nan"),
        ({"threshold": True}, "threshold must be a number, got True"),
        ({"threshold": "high"}, "threshold must be a number, got 'high'"),
        ({"sigma": 0.0}, "sigma must be above 0"),
        ({"sigma": None}, "sigma must be a number, got None; it is the days"),
        ({"weight": 1}, "has no parameter 'weight'"),
    ],
)
def test_a_bad_parameter_is_refused(
    system: System, changes: dict[str, Parameter], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        system.make(SETTINGS, ENCODER, **changes)


def test_states_of_other_parameters_and_of_the_other_variant_are_refused() -> None:
    threshold = PSE.parameters["threshold"]
    words = SYSTEM.make(SETTINGS, ENCODER, threshold=threshold)
    frozen = words.freeze(words.begin())

    for other in (PSE.make(SETTINGS, ENCODER), SYSTEM.make(SETTINGS, ENCODER)):
        with pytest.raises(StateError, match="other settings"):
            other.thaw(frozen)


def test_the_defaults_are_among_the_values_worth_trying() -> None:
    for system in (SYSTEM, PSE):
        assert system.ranges.keys() <= system.parameters.keys()
        for name, values in system.ranges.items():
            assert system.parameters[name] in values
