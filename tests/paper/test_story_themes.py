"""Keywords of stories from pane summaries alone (Def 4.1, Theorem 1), by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paper.building import TERMS, VOCABULARY, pane, story
from ustory.core.settings import Settings
from ustory.paper.themes.scoring import pane_recency
from ustory.paper.themes.stories import (
    Others,
    Themes,
    find_themes,
    story_corpora,
    story_sums,
    story_themes,
)

DAYS = {0: 0.0, 1: 1.0, 2: 2.0}
FLOODS = story({0: pane({"flood": 3}), 2: pane({"flood": 1, "rescue": 2, "die": 1})})
WAR = story({1: pane({"tank": 1, "die": 1})})


def theme(themes: Themes, row: int) -> dict[str, float]:
    """Return a theme written out, heaviest first."""
    pairs = zip(themes.terms[row].tolist(), themes.weights[row].tolist(), strict=True)
    return {TERMS[term]: weight for term, weight in pairs if term >= 0}


def test_keywords_are_recent_popular_and_distinctive() -> None:
    themes, df = story_themes(
        [FLOODS, WAR], DAYS, VOCABULARY, Settings(mode="paper", keywords=2)
    )

    # times 0..2: δ_k = 3, t_c = 2; |𝔻| = 2
    # flood   (3·e^(−2/3) + 1) · log(3/2 + 1) = 2.540251 · 0.916291
    # rescue  2 · log(3/2 + 1); die  1 · log(3/3 + 1) = 0.693147
    floods = theme(themes, 0)
    assert floods == pytest.approx({"flood": 2.327609, "rescue": 1.832581}, abs=1e-5)
    assert list(floods) == ["flood", "rescue"]
    # tank  e^(−1/3) · log(3/2 + 1); die  e^(−1/3) · log(3/3 + 1)
    war = theme(themes, 1)
    assert war == pytest.approx({"tank": 0.656551, "die": 0.496662}, abs=1e-5)
    assert {TERMS[i]: n for i, n in enumerate(df.tolist()) if n} == {
        "flood": 1,
        "rescue": 1,
        "die": 2,
        "tank": 1,
    }


def test_shares_are_of_raw_counts_among_the_keywords() -> None:
    themes, _ = story_themes(
        [FLOODS, WAR], DAYS, VOCABULARY, Settings(mode="paper", keywords=2)
    )

    # flood 4 and rescue 2 in the window, die is no keyword
    assert themes.share[0].tolist() == pytest.approx([4 / 6, 2 / 6])
    assert themes.share[1].tolist() == pytest.approx([1 / 2, 1 / 2])


def test_a_short_theme_is_padded_with_nothing() -> None:
    themes, _ = story_themes(
        [WAR], DAYS, VOCABULARY, Settings(mode="paper", keywords=4)
    )

    assert themes.terms[0, 2:].tolist() == [-1, -1]
    assert themes.weights[0, 2:].tolist() == themes.share[0, 2:].tolist() == [0.0, 0.0]


def test_stories_around_count_as_corpora_but_get_no_theme() -> None:
    settings = Settings(mode="paper", keywords=4)
    together, _ = story_themes([FLOODS, WAR], DAYS, VOCABULARY, settings)
    _, df = story_themes([WAR], DAYS, VOCABULARY, settings)
    recency = pane_recency({0, 1, 2}, DAYS, time_aware=True)
    others = Others(story_corpora([WAR], recency).lengths, df)

    alone = find_themes(story_corpora([FLOODS], recency), VOCABULARY, settings, others)

    assert len(alone) == 1
    assert theme(alone, 0) == pytest.approx(theme(together, 0))


def test_sums_made_before_the_vocabulary_grew_give_the_same_themes() -> None:
    settings = Settings(mode="paper", keywords=4)
    expected, counted = story_themes([FLOODS, WAR], DAYS, VOCABULARY, settings)
    known = 1 + max(
        int(pane.terms.max())
        for story in (FLOODS, WAR)
        for pane in story.panes.values()
    )

    before = story_sums([FLOODS, WAR], DAYS, known, settings)
    themes, df = before.themes(VOCABULARY, settings)

    assert known < len(VOCABULARY)
    assert df.tolist() == counted.tolist()
    for name in ("terms", "weights", "share"):
        assert (getattr(themes, name) == getattr(expected, name)).all()


def test_bm25l_decays_frequencies_and_lengths() -> None:
    settings = Settings(mode="paper", scoring="bm25l")

    themes, _ = story_themes([FLOODS, WAR], DAYS, VOCABULARY, settings)

    old, mid = math.exp(-2 / 3), math.exp(-1 / 3)
    lengths = [3 * old + 4, 2 * mid]
    share = 0.25 + 0.75 * lengths[0] / (sum(lengths) / 2)
    c = (3 * old + 1) / share + 0.5
    flood = 2.2 * c / (1.2 + c) * math.log(3 / 1.5)
    assert theme(themes, 0)["flood"] == pytest.approx(flood)


def test_without_time_every_appearance_counts_alike() -> None:
    settings = Settings(mode="paper", time_aware=False, keywords=1)

    themes, _ = story_themes([FLOODS, WAR], DAYS, VOCABULARY, settings)

    assert theme(themes, 0) == pytest.approx({"flood": 4 * math.log(2.5)})


@pytest.mark.parametrize("times", [1, 2], ids=["seen once", "seen often"])
def test_ties_go_by_the_alphabet(times: int) -> None:
    even = story({0: pane({"river": times, "tank": times, "alarm": times})})

    themes, _ = story_themes(
        [even], DAYS, VOCABULARY, Settings(mode="paper", keywords=2)
    )

    assert list(theme(themes, 0)) == ["alarm", "river"]


def test_a_term_seen_once_today_can_outweigh_old_ones_seen_twice() -> None:
    faded = story({0: pane({"flood": 2, "people": 2}), 2: pane({"alarm": 1})})

    themes, _ = story_themes(
        [faded], DAYS, VOCABULARY, Settings(mode="paper", keywords=2)
    )

    # flood, people  2·e^(−2/3) = 1.026834; alarm  1: it comes third
    assert list(theme(themes, 0)) == ["flood", "people"]

    longer = {0: 0.0, 2: 9.0}
    themes, _ = story_themes(
        [faded], longer, VOCABULARY, Settings(mode="paper", keywords=2)
    )

    # flood, people  2·e^(−9/10) = 0.813139
    assert list(theme(themes, 0)) == ["alarm", "flood"]


counted = st.dictionaries(st.sampled_from(TERMS), st.integers(1, 3), min_size=1)
drawn = st.lists(
    st.dictionaries(st.integers(0, 2), counted, min_size=1), min_size=1, max_size=4
)


@given(drawn, st.integers(1, 7))
def test_looking_at_few_terms_misses_no_keyword(
    stories: list[dict[int, dict[str, int]]], keywords: int
) -> None:
    made = [story({p: pane(c) for p, c in sorted(one.items())}) for one in stories]
    settings = Settings(mode="paper", keywords=keywords)

    themes, _ = story_themes(made, DAYS, VOCABULARY, settings)

    for row, one in enumerate(stories):
        weights = plain_weights(one, stories)
        order = sorted(weights, key=lambda t: (-np.float32(weights[t]), t))
        assert list(theme(themes, row)) == order[:keywords]


def plain_weights(
    one: Mapping[int, Mapping[str, int]],
    stories: list[dict[int, dict[str, int]]],
) -> dict[str, float]:
    """Return w_k of all terms of a story, appearance by appearance (Eq. 1)."""
    times = sorted({DAYS[p] for each in stories for p in each})
    span = times[-1] - times[0] + 1
    found: dict[str, float] = {}
    for number, counts in sorted(one.items()):
        recency = math.exp(-(times[-1] - DAYS[number]) / span)
        for term, count in counts.items():
            found[term] = found.get(term, 0.0) + recency * count
    for term in found:
        df = sum(any(term in counts for counts in s.values()) for s in stories)
        found[term] *= math.log((len(stories) + 1) / (df + 1) + 1)
    return found
