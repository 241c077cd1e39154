"""Articles of stories are counted by day and by hour, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.store.builders import START, fill
from ustory.store import Store
from ustory.store.listing import days_of_stories, hours_of_stories

_HOUR = timedelta(hours=1)
_FIRST = (START - datetime(1970, 1, 1, tzinfo=UTC)) // _HOUR


def test_articles_are_counted_by_the_hour(store: Store) -> None:
    fill(store, slides=2, each=70)  # one a minute, from the first minute on

    with store.read() as connection:
        found = hours_of_stories(
            connection, ["s000001", "s000002", "none"], START, START + 24 * _HOUR
        )

    assert found["s000001"] == {_FIRST: 59, _FIRST + 1: 11}
    assert found["s000002"] == {_FIRST + 1: 49, _FIRST + 2: 21}
    assert found["none"] == {}


def test_hours_outside_a_time_are_left_out(store: Store) -> None:
    fill(store, slides=1, each=130)

    with store.read() as connection:
        found = hours_of_stories(
            connection, ["s000001"], START + _HOUR, START + 2 * _HOUR
        )

    assert found == {"s000001": {_FIRST + 1: 60}}


def test_days_are_those_of_the_stories_asked_for(store: Store) -> None:
    fill(store, slides=3, each=4)

    with store.read() as connection:
        found = days_of_stories(connection, ["s000003", "s000001"], 19783, 19783)
        before = days_of_stories(connection, ["s000001"], 0, 19782)

    assert [(day.story, day.articles) for day in found] == [
        ("s000001", 4),
        ("s000003", 4),
    ]
    assert before == []
