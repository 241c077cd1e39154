from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError, StateError
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.testing import TinyEncoder, check_discoverer
from ustory.testing.parts import DAY, START, count_words
from ustory_bench.baselines.average_link import PSE, SYSTEM, cosine_sums, link
from ustory_bench.system import Parameter, System

SETTINGS, ENCODER = Settings(), TinyEncoder()

A, B, C, D = (1.0, 0.0), (0.8, 0.6), (0.6, 0.8), (0.0, 1.0)
"""Cosines: AB 0.8, AC 0.6, AD 0, BC 0.96, BD 0.6, CD 0.8."""


def article(
    name: str, day: float, vector: tuple[float, ...], *sentences: str
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
    system: System, slides: Sequence[Sequence[PreparedArticle]], **changes: Parameter
) -> Sequence[Mapping[str, str | None]]:
    """Return the assignments after each daily slide."""
    discoverer = system.make(SETTINGS, ENCODER, **changes)
    state, told = discoverer.begin(), []
    for day, articles in enumerate(slides):
        end = START + (day + 1) * DAY
        state, _ = discoverer.advance(state, Slide(end=end, articles=articles))
        told.append(dict(discoverer.assignments(state)))
    return told


def linked(
    vectors: Sequence[tuple[float, ...]], *clusters: list[int], at: float
) -> list[list[int]]:
    rows = np.array(vectors, dtype=np.float32)
    sizes = np.array([float(len(each)) for each in clusters])
    return link(cosine_sums(rows, clusters), sizes, at)


def test_articles_are_linked_as_by_hand() -> None:
    # B and C first (0.96). A to BC is (0.8 + 0.6) / 2 = 0.7, D to BC the same and
    # later in order, so A joins. D to ABC is (0 + 0.6 + 0.8) / 3 = 0.467.
    alone = [[0], [1], [2], [3]]

    assert linked([A, B, C, D], *alone, at=0.97) == alone
    assert linked([A, B, C, D], *alone, at=0.71) == [[0], [1, 2], [3]]
    assert linked([A, B, C, D], *alone, at=0.5) == [[0, 1, 2], [3]]
    assert linked([A, B, C, D], *alone, at=0.46) == [[0, 1, 2, 3]]


def test_a_story_counts_with_all_its_articles() -> None:
    # the story AD (clusters 0) and the new B, C: BC is 0.96, and AD to BC is
    # (0.8 + 0.6 + 0.6 + 0.8) / 4 = 0.7
    assert linked([A, B, C, D], [0, 3], [1], [2], at=0.71) == [[0], [1, 2]]
    assert linked([A, B, C, D], [0, 3], [1], [2], at=0.69) == [[0, 1, 2]]


@given(st.integers(0, 10_000), st.integers(2, 12), st.floats(-0.5, 0.9))
def test_single_articles_are_linked_as_scipy_links_them(
    seed: int, count: int, threshold: float
) -> None:
    drawn = np.random.default_rng(seed).standard_normal((count, 4))
    rows = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    sums = cosine_sums(rows, [[n] for n in range(count)])

    found = link(sums, np.ones(count), threshold)

    distances = np.maximum(1 - sums, 0)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform((distances + distances.T) / 2), "average")
    label = fcluster(tree, 1 - threshold, "distance")
    expected = {tuple(np.flatnonzero(label == one).tolist()) for one in set(label)}
    assert {tuple(group) for group in found} == expected


def test_the_link_of_two_articles_is_their_tfidf_cosine_as_by_hand() -> None:
    # n = 2. "flood" is in both, df 2, idf ln 2; "velm", "news", "orsa" and the pairs
    # "flood velm" and "flood orsa" have df 1, idf ln 3. The words of the titles
    # "flood velm" and "news" weigh twice; a pair never does.
    first = article("a", 0, A, "flood velm")
    second = article("b", 0, A, "news", "flood orsa")
    flood, other = log(2), log(3)
    length_a = sqrt((2 * flood) ** 2 + (2 * other) ** 2 + other**2)
    length_b = sqrt((2 * other) ** 2 + flood**2 + other**2 + other**2)
    cosine = 2 * flood * flood / (length_a * length_b)
    assert cosine == pytest.approx(0.1226, abs=1e-4)

    (above,) = follow(SYSTEM, [[first, second]], threshold=cosine + 1e-6)
    (below,) = follow(SYSTEM, [[first, second]], threshold=cosine - 1e-6)

    assert above == {"a": "s000001", "b": "s000002"}
    assert below == {"a": "s000001", "b": "s000001"}


def test_stories_merge_once_an_article_brings_them_together() -> None:
    # A and D share nothing. B joins A (0.8 against 0.6); C joins AB at 0.78 or D at
    # 0.8: D. Then AB to CD is (0.6 + 0 + 0.96 + 0.6) / 4 = 0.54: merged from there.
    slides = [
        [article("a", 0, A), article("d", 0.1, D)],
        [article("b", 1, B)],
        [article("c", 2, C)],
    ]

    apart = follow(PSE, slides, threshold=0.55)
    merged = follow(PSE, slides, threshold=0.53)

    assert apart[1] == {"a": "s000001", "b": "s000001", "d": "s000002"}
    assert apart[2] == {**apart[1], "c": "s000002"}
    assert set(merged[2].values()) == {"s000001"}


def test_a_merged_story_keeps_the_id_of_its_largest_part() -> None:
    # D is alone, A three times; C is at 0.8 from D, then CD is at
    # (0.6 + 0) / 2 = 0.3 from the A's
    slides = [
        [article("d", 0, D), *(article(f"a{n}", 0.5, A) for n in range(3))],
        [article("c", 1, C)],
    ]

    before, after = follow(PSE, slides, threshold=0.29)

    assert before["d"] == "s000001"
    assert set(after.values()) == {before["a0"]} == {"s000002"}


def test_articles_that_left_the_window_no_longer_count() -> None:
    # B joins A on day 1 (0.8); D on day 3 is at (0 + 0.6) / 2 = 0.3 from AB and stays
    # alone. Another D joins it (1.0), and the two are at 0.3 from AB while A is in
    # the window of 7 days, and at 0.6 from B alone once it is not.
    def together_on(day: int) -> bool:
        days = {
            0: article("a", 0, A),
            1: article("b", 1, B),
            3: article("d", 3, D),
            day: article("another", day, D),
        }
        slides = [[days[n]] if n in days else [] for n in range(day + 1)]
        found = follow(PSE, slides, threshold=0.31)[-1]
        assert found["another"] == found["d"]
        return found["b"] == found["d"]

    assert not together_on(6)
    assert together_on(7)


def test_a_quiet_slide_changes_nothing() -> None:
    first, second = follow(SYSTEM, [[article("a", 0, A), article("b", 0, B)], []])

    assert first == second


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=lambda system: system.name)
def test_it_keeps_the_contract(system: System) -> None:
    check_discoverer(lambda: system.make(SETTINGS, ENCODER))


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=lambda system: system.name)
@pytest.mark.parametrize("threshold", [0, -0.1, 1.01, float("nan"), True, "0.1"])
def test_a_threshold_that_is_no_cosine_is_refused(
    system: System, threshold: Parameter
) -> None:
    with pytest.raises(ConfigError, match="threshold must be above 0 and at most 1"):
        system.make(SETTINGS, ENCODER, threshold=threshold)


@pytest.mark.parametrize("title", [0, -1, float("inf"), float("nan"), False, "2"])
def test_a_title_weight_that_is_no_factor_is_refused(title: Parameter) -> None:
    with pytest.raises(ConfigError, match="title must be a number above 0"):
        SYSTEM.make(SETTINGS, ENCODER, title=title)


def test_a_window_of_articles_is_refused() -> None:
    with pytest.raises(ConfigError, match="windows by time only"):
        SYSTEM.make(Settings(window=100, slide=10), ENCODER)


def test_the_state_of_other_parameters_is_refused() -> None:
    frozen = SYSTEM.make(SETTINGS, ENCODER).freeze(
        SYSTEM.make(SETTINGS, ENCODER).begin()
    )

    for other in (
        SYSTEM.make(SETTINGS, ENCODER, title=1.0),
        PSE.make(SETTINGS, ENCODER),
    ):
        with pytest.raises(StateError, match="other settings"):
            other.thaw(frozen)


def test_a_shorter_window_forgets_sooner() -> None:
    day = SYSTEM.make(Settings(window=timedelta(days=1)), ENCODER)
    state, _ = day.advance(
        day.begin(), Slide(end=START + DAY, articles=[article("a", 0, A)])
    )
    state, _ = day.advance(state, Slide(end=START + 2 * DAY))

    assert day.assignments(state) == {}
