"""One example worked by hand for each definition of the paper."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.reference.records import Member, Placed, Terms, summarise
from tests.reference.section4 import (
    article_vector,
    initial_vector,
    own_themes,
    sentence_weights,
    story_span,
    story_themes,
    story_vector,
    theme_relevance,
)
from tests.reference.section5 import (
    cosine,
    is_confident,
    keyword_similarity,
    log_confidence,
    threshold,
)
from tests.reference.strategies import ENCODER
from ustory.core.arrays import Vector
from ustory.core.settings import Settings

AXES = np.eye(4)


def article(
    time: float, *sentences: Terms, vectors: Vector = AXES, name: str = "a"
) -> Placed:
    """Return an article with these counts; sentence i is the i-th axis."""
    whole: Terms = {}
    for counts in sentences:
        for term, count in counts.items():
            whole[term] = whole.get(term, 0) + count
    texts = tuple(f"{' '.join(counts)}." for counts in sentences)
    rows = vectors[: len(sentences)]
    return Placed(name, int(time), time, texts, sentences, whole, rows)


def member(time: float, vector: Vector, **terms: int) -> Member:
    return Member(f"m{time}", int(time), time, terms, vector)


def test_keywords_are_recent_popular_and_distinctive() -> None:
    floods = [
        article(0, {"flood": 3}),
        article(2, {"flood": 1, "rescue": 2, "die": 1}),
    ]
    war = [article(1, {"tank": 1, "die": 1})]

    themes = story_themes([floods, war], Settings(mode="paper", keywords=2))

    # times 0..2: δ_k = 3, t_c = 2; |𝔻| = 2
    # flood   (3·e^(−2/3) + 1) · log(3/2 + 1) = 2.540251 · 0.916291 = 2.327609
    # rescue  2 · log(3/2 + 1)                                      = 1.832581
    # die     1 · log(3/3 + 1)                                      = 0.693147
    assert themes[0] == pytest.approx({"flood": 2.327609, "rescue": 1.832581}, abs=1e-5)
    assert list(themes[0]) == ["flood", "rescue"]
    # tank    e^(−1/3) · log(3/2 + 1) = 0.716531 · 0.916291 = 0.656551
    # die     e^(−1/3) · log(3/3 + 1) = 0.716531 · 0.693147 = 0.496662
    assert themes[1] == pytest.approx({"tank": 0.656551, "die": 0.496662}, abs=1e-5)


def test_the_paper_s_evacuation_order_outranks_the_more_frequent_storm() -> None:
    # L = 1; `storm` once a day for 7 days, `evacuation` twice a day for the last 3
    days = [
        article(day, {"storm": 1, "evacuation": 2} if day > 3 else {"storm": 1})
        for day in range(7)
    ]

    recent = story_themes([days], Settings(mode="paper"))[0]
    timeless = story_themes([days], Settings(mode="paper", time_aware=False))[0]

    # δ_k = 7: Σ e^(−i/7) over 0..6 = 4.748438; 2·(1 + 0.866878 + 0.751477) = 5.236710
    # and both are in the one corpus: log(2/2 + 1) = 0.693147
    assert list(recent) == ["evacuation", "storm"]
    assert recent["storm"] == pytest.approx(4.748438 * 0.693147, abs=1e-4)
    assert recent["evacuation"] == pytest.approx(5.236710 * 0.693147, abs=1e-4)
    # without recency 6 against 7
    assert list(timeless) == ["storm", "evacuation"]


def test_keyword_ties_go_by_alphabet_in_stories_and_by_place_in_articles() -> None:
    only = article(0, {"river": 1, "flood": 1, "rescue": 1})

    assert list(story_themes([[only]], Settings(mode="paper", keywords=2))[0]) == [
        "flood",
        "rescue",
    ]
    assert list(own_themes([only], Settings(mode="paper", keywords=2))[0]) == [
        "river",
        "flood",
    ]


def test_own_themes_look_at_all_articles_of_the_window() -> None:
    window = [article(0, {"flood": 1, "people": 2}), article(1, {"people": 1})]

    theme = own_themes(window, Settings(mode="paper"))[0]

    # δ_k = 2, t_c = 1: e^(−1/2) = 0.606531; |𝔻| = 2
    # people  2 · 0.606531 · log(3/3 + 1) = 0.840829
    # flood   1 · 0.606531 · log(3/2 + 1) = 0.555759
    assert theme == pytest.approx({"people": 0.840829, "flood": 0.555759}, abs=1e-5)


def test_bm25l_saturates_and_decays_lengths_too() -> None:
    long = [article(0, {"flood": 3, "die": 1})]
    short = [article(0, {"die": 2})]

    theme = story_themes([long, short], Settings(mode="paper", scoring="bm25l"))[0]

    # lengths 4 and 2, mean 3; 1 − b + b·4/3 = 0.25 + 1 = 1.25
    # flood  c = 3/1.25 = 2.4; 2.2·2.9/(1.2 + 2.9) · log(3/1.5) = 1.556098·0.693147
    # die    c = 1/1.25 = 0.8; 2.2·1.3/(1.2 + 1.3) · log(3/2.5) = 1.144000·0.182322
    assert theme == pytest.approx({"flood": 1.078604, "die": 0.208576}, abs=1e-5)


def test_bm25l_of_an_older_article_has_less_and_shorter_text() -> None:
    window = [article(0, {"flood": 2}), article(1, {"vote": 1})]

    theme = own_themes(window, Settings(mode="paper", scoring="bm25l"))[0]

    # δ_k = 2: flood counts 2·e^(−1/2) = 1.213061, which is also the length;
    # mean length (1.213061 + 1)/2 = 1.106531; 0.25 + 0.75·1.096274 = 1.072205
    # c = 1.131374; 2.2·1.631374/2.831374 · log(3/1.5) = 1.267593·0.693147 = 0.878628
    assert theme == pytest.approx({"flood": 0.878628}, abs=1e-5)


THEME = {"flood": 2.0, "rescue": 1.0}
REPORT = article(0, {"flood": 1, "people": 3}, {"flood": 1, "rescue": 2}, {"people": 1})


def test_an_article_is_its_sentences_by_theme_relevance() -> None:
    # sentence 0: 1·2 = 2; sentence 1: 1·2 + 2·1 = 4; sentence 2: 0; all: 6
    assert theme_relevance(REPORT, THEME) == [2.0, 4.0, 0.0]

    vector = article_vector(REPORT, THEME, Settings(mode="paper"), None)

    assert vector == pytest.approx(np.array([1 / 3, 2 / 3, 0, 0]))


def test_of_fewer_sentences_the_most_relevant_count_and_weigh_one_together() -> None:
    assert sentence_weights([2.0, 4.0, 2.0], 1) == (0.0, 1.0, 0.0)
    # the tie for the second place goes to the earlier sentence
    assert sentence_weights([2.0, 4.0, 2.0], 2) == pytest.approx((1 / 3, 2 / 3, 0))


def test_an_article_without_a_keyword_has_no_vector_but_an_initial_one() -> None:
    other = {"vote": 1.0}

    assert article_vector(REPORT, other, Settings(mode="paper"), None) is None
    mean = initial_vector(REPORT, other, Settings(mode="paper"), None)
    assert mean == pytest.approx(np.array([1 / 3, 1 / 3, 1 / 3, 0]))
    first = initial_vector(REPORT, other, Settings(mode="paper", sentences=2), None)
    assert first == pytest.approx(np.array([1 / 2, 1 / 2, 0, 0]))


@pytest.mark.parametrize(
    "changes", [{"representation": "IndSentMean"}, {"theme_aware": False}]
)
def test_without_theme_all_sentences_weigh_alike(changes: dict[str, object]) -> None:
    vector = article_vector(REPORT, THEME, Settings(mode="paper").with_(changes), None)

    assert vector == pytest.approx(np.array([1 / 3, 1 / 3, 1 / 3, 0]))


def test_concatenations_encode_one_text_with_the_best_sentences_first() -> None:
    themed = Settings(mode="paper", representation="ThemSentConc")
    whole = Settings(mode="paper", representation="IndSentConc")

    def encoded(text: str) -> Vector:
        row: Vector = ENCODER.encode([text])[0].astype(np.float64)
        return row

    np.testing.assert_array_equal(
        article_vector(REPORT, THEME, themed, ENCODER),
        encoded("flood rescue. flood people."),
    )
    np.testing.assert_array_equal(
        article_vector(REPORT, THEME, whole, ENCODER),
        encoded("flood people. flood rescue. people."),
    )


def test_a_story_is_its_articles_by_time_relevance() -> None:
    story = [member(0, AXES[0]), member(2, AXES[1])]
    span = story_span(story, story, Settings(mode="paper"))

    seen = story_vector(story, 2, span)

    # δ_C = 2: e^(−2/2) = 0.367879 against e^0 = 1: 0.268941 and 0.731059
    assert span == 2.0
    assert seen == pytest.approx(np.array([0.268941, 0.731059, 0, 0]), abs=1e-6)
    even = story_vector(story, 2, span, time_aware=False)
    assert even == pytest.approx(np.array([0.5, 0.5, 0, 0]))


def test_a_story_of_a_moment_decays_by_the_day() -> None:
    story = [member(1.0, AXES[0]), member(1.25, AXES[1])]

    assert story_span(story, story, Settings(mode="paper")) == 1.0
    assert story_span(story, story, Settings(mode="paper", story_span="window")) == 7.0
    by_number = Settings(mode="paper", story_span="window", window=20, slide=10)
    assert story_span(story, [*story, member(4.0, AXES[0])], by_number) == 3.0


def test_a_story_long_ago_is_still_its_articles() -> None:
    # e^(−2000) is 0 in floating point: only the ages beyond the smallest may count
    story = [member(0, AXES[0]), member(1, AXES[1])]

    seen = story_vector(story, 2001, 1.0)

    assert seen == pytest.approx(np.array([0.268941, 0.731059, 0, 0]), abs=1e-6)


def test_an_article_on_four_of_ten_even_keywords() -> None:
    story = {f"k{i}": 5 for i in range(10)}
    few = {f"k{i}": 2 for i in range(4)}

    def similarity(name: str) -> float:
        return keyword_similarity(few, story, story, name)

    # P = 1/4 on four, Q = 1/10 on ten, M = 7/40 on four and 1/20 on six
    # KL(P‖M) = log2(10/7) = 0.514573; KL(Q‖M) = 0.4·log2(4/7) + 0.6·log2(2) = 0.277058
    # JSD = (0.514573 + 0.277058)/2 = 0.395816, its root 0.629139
    assert similarity("js") == pytest.approx(0.604184, abs=1e-6)
    assert similarity("js-root") == pytest.approx(0.370861, abs=1e-6)
    # in base e, JSD is less by the factor ln 2: 1 − 0.629139 · √0.693147
    assert similarity("js-root-e") == pytest.approx(0.476208, abs=1e-6)
    # exp(−log((1/4)/(1/10))) = 10/25; Σ min = 4 · 1/10
    assert similarity("kl") == pytest.approx(0.4)
    assert similarity("emd") == pytest.approx(0.4)


@pytest.mark.parametrize("name", ["js", "js-root", "js-root-e", "kl", "emd"])
def test_like_distributions_are_one_and_disjoint_ones_nothing(name: str) -> None:
    story = {"flood": 4, "rescue": 2}

    half = {"flood": 2, "rescue": 1, "people": 9}
    assert keyword_similarity(half, story, story, name) == pytest.approx(1.0)
    assert keyword_similarity({"vote": 1}, story, story, name) == 0.0


def test_the_cosine_is_not_below_zero_and_zero_for_a_zero_vector() -> None:
    assert cosine(np.array([3.0, 4.0]), np.array([2.0, 0.0])) == pytest.approx(0.6)
    assert cosine(np.array([1.0, 0.0]), np.array([-1.0, 0.0])) == 0.0
    assert cosine(np.array([1.0, 0.0]), np.zeros(2)) == 0.0


def test_confidence_is_a_softmax_over_all_stories() -> None:
    # T = 2, similarities 0.5, 0.25 and two of 0: e / (e + e^0.5 + 2)
    # = 2.718282 / (2.718282 + 1.648721 + 2) = 0.426933
    found = math.exp(log_confidence(0.5, [0.25], 4, 2.0))

    assert found == pytest.approx(0.426933, abs=1e-6)


@pytest.mark.parametrize(
    ("stories", "gamma", "least"),
    [
        # n = 2 in both: γ = 1 − (1/2)² = 3/4; x/(x + 1) ≥ 3/4 from x = e^(2·sim) = 3
        (1, 0.75, math.log(3) / 2),
        (2, 0.75, math.log(3) / 2),
        # γ = 1 − 0.9999² = 0.00019999; x/(x + 9999) ≥ γ from
        # x = 9999 · 0.00019999 / 0.99980001 = 2.000100, sim = 0.346599
        (10_000, 0.00019999, 0.346599),
    ],
)
def test_the_similarity_that_it_takes(stories: int, gamma: float, least: float) -> None:
    assert threshold(stories, 2.0) == pytest.approx(gamma, rel=1e-12)

    def confident(similarity: float) -> bool:
        odds = log_confidence(similarity, [], stories, 2.0) - math.log(gamma)
        return is_confident(similarity, odds)

    assert confident(least + 1e-5)
    assert not confident(least - 1e-5)


@pytest.mark.parametrize("stories", [1, 2, 10_000])
def test_with_t_of_one_everything_with_any_similarity_gets_in(stories: int) -> None:
    # γ = 1/n is what a similarity of 0 scores among zeros
    n = max(stories, 2)
    odds = log_confidence(0.0, [], stories, 1.0) - math.log(threshold(stories, 1.0))

    assert threshold(stories, 1.0) == pytest.approx(1 / n, rel=1e-12)
    assert odds == pytest.approx(0.0, abs=1e-9)
    assert is_confident(1e-9, odds)
    assert not is_confident(0.0, odds)


def test_a_summary_adds_up_each_pane() -> None:
    story = [
        member(0, AXES[0], flood=2),
        member(0, AXES[1], flood=1, rescue=1),
        member(3, AXES[1], vote=1),
    ]

    summary = summarise(story)

    assert list(summary) == [0, 3]
    assert summary[0].articles == 2
    assert summary[0].terms == {"flood": 3, "rescue": 1}
    np.testing.assert_array_equal(summary[0].vectors, AXES[0] + AXES[1])
    assert summary[3].terms == {"vote": 1}
