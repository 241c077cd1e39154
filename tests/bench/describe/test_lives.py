"""How stories live, drawn on a calendar.

Columns are days, each letter an article of that story at noon. W is 3 days, S 1 day.

    day      1  2  3  4  5  6  7  8  9
    story a  a  a  .  .  .  .  .  a  .      falls silent for 6 days, longer than W
    story b  .  b  b  .  .  .  .  .  .
    story c  .  .  .  .  c  .  .  .  .
    window   a  ab ab ab bc c  c  a  a  a      stories with an article in it: 14 / 10
"""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory_bench.describe.lives import Lives, lives_of

DAY = timedelta(days=1)
NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


def lives(*articles: tuple[str, float], least: int = 3) -> Lives:
    labels = [label for label, _ in articles]
    times = [NOON + day * DAY for _, day in articles]
    return lives_of(labels, times, 3 * DAY, DAY, least)


DRAWN = [("a", 1), ("a", 2), ("b", 2), ("b", 3), ("c", 5), ("a", 8)]


def test_sizes_and_small_stories() -> None:
    found = lives(*DRAWN)

    assert (found.stories, found.largest, found.median_size) == (3, 3, 2.0)
    assert found.singletons == pytest.approx(1 / 3)
    assert found.small == pytest.approx(2 / 3)
    assert found.articles_in_small == pytest.approx(3 / 6)


def test_spans_of_lives() -> None:
    found = lives(*DRAWN)

    assert (found.median_days, found.longest_days) == (1.0, 7.0)
    assert (
        found.one_day == found.outlive_window == found.revived == pytest.approx(1 / 3)
    )
    assert found.story_days == 6


def test_stories_in_a_window_as_drawn() -> None:
    found = lives(*DRAWN)

    assert found.alive_mean == pytest.approx(14 / 10)
    assert found.alive_most == 2


def test_a_silence_of_just_a_window_is_no_revival() -> None:
    assert lives(("a", 1), ("a", 4)).revived == 0
    assert lives(("a", 1), ("a", 4.01)).revived == 1


def test_lives_overlap_when_they_share_a_moment() -> None:
    # a lives from 1 to 8 and holds b and c, which do not meet
    assert lives(*DRAWN).overlapping == pytest.approx((2 + 1 + 1) / 3)
    assert lives(("a", 1), ("b", 2)).overlapping == 0
    assert lives(("a", 1), ("b", 1)).overlapping == 1


def test_one_story_only_is_alone() -> None:
    found = lives(("a", 1), ("a", 1))

    assert (found.stories, found.overlapping, found.alive_most) == (1, 0, 1)


stories = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(0, 400).map(lambda n: n / 10)),
    min_size=1,
    max_size=30,
)


@given(stories)
def test_stories_in_windows_are_those_that_a_count_finds(
    articles: list[tuple[str, float]],
) -> None:
    found = lives(*articles)
    alive = []
    for end in range(60):
        inside = {s for s, day in articles if end - 3 <= int(day + 0.5) < end}
        alive += [len(inside)] if inside else []

    assert found.alive_mean == pytest.approx(sum(alive) / len(alive))
    assert found.alive_most == max(alive)


@given(stories)
def test_overlaps_are_those_that_a_count_finds(
    articles: list[tuple[str, float]],
) -> None:
    days = {s: [day for other, day in articles if other == s] for s, _ in articles}
    pairs = [
        max(min(one), min(two)) <= min(max(one), max(two))
        for name, one in days.items()
        for other, two in days.items()
        if name != other
    ]

    assert lives(*articles).overlapping == pytest.approx(sum(pairs) / len(days))
