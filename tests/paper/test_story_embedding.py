"""Stories through time (Def 4.3, Eq. 3 and 8), worked by hand."""

from __future__ import annotations

import math
from datetime import timedelta

import numpy as np
import pytest

from tests.paper.building import pane, story
from ustory.core.settings import Settings
from ustory.paper.embedding.story import story_representations

DAYS = {0: 0.0, 1: 1.0, 2: 2.0, 3: 3.0}
LASTING = story(
    {
        0: pane({}, articles=1, vector=(1.0, 0.0)),
        2: pane({}, articles=2, vector=(0.0, 1.0)),
    }
)
"""One article on day 0, two on day 2: δ_C is 2 days."""
BRIEF = story({1: pane({}, articles=1, vector=(0.5, 0.5))})


def test_nearer_panes_count_more_and_all_articles_are_counted() -> None:
    seen = story_representations([LASTING, BRIEF], DAYS, [0, 3], Settings(mode="paper"))

    # from day 0: weights 1 and e^(−1); 1·1 + e^(−1)·2 articles
    near, far = 1.0, math.exp(-1)
    total = near + 2 * far
    assert seen[0][0].tolist() == pytest.approx([near / total, far / total])
    # from day 3: e^(−3/2) and e^(−1/2), which is e^(−1) to 1
    total = far + 2 * near
    assert seen[3][0].tolist() == pytest.approx([far / total, near / total])
    # a story of one pane is its mean, from wherever it is seen
    assert seen[0][1].tolist() == seen[3][1].tolist() == [0.5, 0.5]
    assert seen[0].dtype == np.float32
    assert list(seen) == [0, 3]


def test_the_span_of_the_window_fades_more_slowly() -> None:
    settings = Settings(mode="paper", story_span="window", window=timedelta(days=7))

    seen = story_representations([LASTING], DAYS, [3], settings)

    # 3 and 1 days of 7
    old, new = math.exp(-3 / 7), math.exp(-1 / 7)
    total = old + 2 * new
    assert seen[3][0].tolist() == pytest.approx([old / total, new / total])


def test_a_window_by_number_is_as_long_as_it_happens_to_be() -> None:
    settings = Settings(mode="paper", story_span="window", window=20, slide=10)

    seen = story_representations([LASTING], DAYS, [3], settings)

    # panes from day 0 to day 3
    old, new = math.exp(-3 / 3), math.exp(-1 / 3)
    total = old + 2 * new
    assert seen[3][0].tolist() == pytest.approx([old / total, new / total])


def test_a_span_is_at_least_a_day() -> None:
    hours = {0: 0.0, 1: 0.25}
    moment = story({0: pane({}, vector=(1.0, 0.0)), 1: pane({}, vector=(0.0, 1.0))})

    seen = story_representations([moment], hours, [1], Settings(mode="paper"))

    # a quarter of a day apart, by one day and not by that quarter
    old = math.exp(-0.25)
    assert seen[1][0].tolist() == pytest.approx([old / (old + 1), 1 / (old + 1)])


def test_without_time_a_story_is_its_mean() -> None:
    seen = story_representations(
        [LASTING], DAYS, [0, 3], Settings(mode="paper", time_aware=False)
    )

    assert seen[0][0].tolist() == seen[3][0].tolist() == pytest.approx([1 / 3, 1 / 3])


@pytest.mark.filterwarnings("error")
def test_short_panes_far_in_the_past_give_no_0_by_0() -> None:
    # panes of five minutes, twenty years before the article
    minutes = 5 / 1440
    first = 100_000
    days = {first: first * minutes, first + 1: (first + 1) * minutes}
    now = first + int(20 * 365 / minutes)
    days[now] = now * minutes
    past = story(
        {
            first: pane({}, vector=(1.0, 0.0)),
            first + 1: pane({}, vector=(0.0, 1.0)),
        }
    )
    assert math.exp(-(days[now] - days[first])) == 0.0

    seen = story_representations(
        [past], days, [now], Settings(mode="paper", pane=timedelta(minutes=5))
    )

    # δ_C is a day, so only the five minutes between the panes show
    old = math.exp(-minutes)
    assert seen[now][0].tolist() == pytest.approx([old / (old + 1), 1 / (old + 1)])
