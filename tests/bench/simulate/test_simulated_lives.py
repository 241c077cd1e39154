"""Stories live as they are said to: they burst, last, return, merge and split."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.arrays import Indices
from ustory_bench.simulate import SimulationPlan
from ustory_bench.simulate.schedule import DAY, Schedule, schedule_articles
from ustory_bench.simulate.stories import PAIRED, Cast, Life, cast_stories

WEEK = 7 * DAY
PLAN = SimulationPlan(articles=2_000, stories=200, days=40)


@cache
def laid_out(plan: SimulationPlan = PLAN) -> tuple[Cast, Schedule]:
    cast = cast_stories(plan)
    return cast, schedule_articles(plan, cast)


def of(life: Life) -> list[int]:
    return np.flatnonzero(laid_out()[0].life == life).tolist()


def seconds(story: int) -> Indices:
    schedule = laid_out()[1]
    found: Indices = schedule.second[schedule.story == story]
    return found


def tells_of_both(story: int) -> Indices:
    schedule = laid_out()[1]
    found: Indices = schedule.second[(schedule.story == story) & schedule.both]
    return found


@pytest.mark.parametrize("life", list(Life))
def test_every_life_occurs(life: Life) -> None:
    assert len(of(life)) >= 3


def test_a_burst_begins_with_most_of_its_articles() -> None:
    whole = np.concatenate([seconds(s) - seconds(s).min() for s in of(Life.BURST)])

    assert whole.max() < 6 * DAY
    assert np.mean(whole < 1.5 * DAY) > 0.6


def test_a_long_story_lasts_for_more_than_a_window_without_a_long_silence() -> None:
    for story in of(Life.LONG):
        when = seconds(story)
        assert when.max() - when.min() > WEEK
        assert np.diff(when).max() < WEEK


def test_a_revived_story_was_silent_for_more_than_a_window() -> None:
    for story in of(Life.REVIVED):
        silences = np.diff(seconds(story))
        assert np.sum(silences > WEEK) == 1
        turn = int(silences.argmax()) + 1
        assert 2 <= turn <= len(silences) - 1


def test_a_merging_story_takes_in_its_partner() -> None:
    cast, _ = laid_out()
    for story in of(Life.MERGING):
        partner = int(cast.partner[story])
        merged = tells_of_both(story)
        assert cast.life[partner] == Life.ABSORBED
        assert cast.partner[partner] == story
        assert seconds(partner).max() <= merged.min()
        assert seconds(partner).min() < seconds(story).max()
        assert 0 < len(merged) < len(seconds(story))


def test_a_branch_leaves_a_story_that_goes_on() -> None:
    cast, _ = laid_out()
    for story in of(Life.BRANCH):
        parent = int(cast.partner[story])
        assert cast.life[parent] == Life.SPLITTING
        assert len(tells_of_both(story)) == len(seconds(story))
        assert seconds(parent).min() < seconds(story).min() < seconds(parent).max()


def test_twins_live_the_same_life_at_the_same_time() -> None:
    cast, _ = laid_out()
    pairs = np.flatnonzero(cast.twin > np.arange(len(cast.twin))).tolist()

    assert len(pairs) == round(PLAN.twins * PLAN.story_count / 2)
    for story in pairs:
        twin = int(cast.twin[story])
        assert cast.twin[twin] == story
        assert cast.life[twin] == cast.life[story]
        assert cast.partner[twin] == cast.partner[story] == -1
        assert seconds(story).min() <= seconds(twin).max()
        assert seconds(twin).min() <= seconds(story).max()


def test_nights_are_quiet() -> None:
    hour = laid_out()[1].second % DAY // 3_600
    per_hour = np.bincount(hour, minlength=24)

    assert per_hour[1:4].mean() * 4 < per_hour[8:18].mean()
    assert per_hour.min() > 0


@given(
    articles=st.integers(1, 300),
    per_story=st.integers(2, 30),
    days=st.integers(1, 40),
    noise=st.floats(0, 1),
    seed=st.integers(0, 2**64 - 1),
)
def test_any_plan_is_laid_out_exactly(
    articles: int, per_story: int, days: int, noise: float, seed: int
) -> None:
    told = articles - round(articles * noise)
    plan = SimulationPlan(
        articles=articles, stories=told // per_story, days=days, noise=noise, seed=seed
    )

    cast = cast_stories(plan)
    schedule = schedule_articles(plan, cast)

    counts = np.bincount(schedule.story, minlength=plan.story_count)
    assert len(schedule.second) == articles
    assert counts[: plan.story_count].tolist() == cast.size.tolist()
    assert counts[plan.story_count :].tolist() == [1] * plan.noise_count
    assert (cast.size >= 2).all()
    assert (np.diff(schedule.second) >= 0).all()
    assert schedule.second[0] >= 0
    assert schedule.second[-1] < days * DAY
    assert (schedule.origin <= np.arange(articles)).all()
    assert (schedule.story[schedule.origin] == schedule.story).all()
    assert (cast.partner[np.isin(cast.life, PAIRED)] >= 0).all()


@pytest.mark.parametrize("days", [1, 2, 14])
def test_a_short_stream_has_no_life_that_needs_more_days(days: int) -> None:
    cast = cast_stories(SimulationPlan(articles=2_000, stories=200, days=days))

    assert Life.REVIVED not in cast.life
    assert (Life.MERGING in cast.life) == (days >= 3)
