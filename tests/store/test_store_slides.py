"""Slides are opened, closed and done in their order, by one process."""

from __future__ import annotations

import pytest

from tests.store.builders import MINUTE, START, decide, fill, take_in
from ustory.core.errors import StateError
from ustory.store import Store
from ustory.store.articles import article
from ustory.store.slides import (
    close_slide,
    finish_slide,
    last_done,
    next_closed,
    open_slide,
    recent_slides,
    slide,
    start_slide,
    waiting_articles,
)
from ustory.store.tables import SlideRow


def test_a_slide_is_open_then_closed_then_done(store: Store) -> None:
    with store.write() as connection:
        assert open_slide(connection) is None
        made = start_slide(connection, START, START + MINUTE, 1)
        assert made == SlideRow(number=1, start=START, end=START + MINUTE, first_seq=1)
        assert open_slide(connection) == made
        assert next_closed(connection) is None
        close_slide(connection, 1, 0)
        assert open_slide(connection) is None
        closed = next_closed(connection)
        assert closed is not None
        assert closed.last_seq == 0
        digest = finish_slide(
            connection, 1, done_at=START, stories=2, seconds={"link": 0.5}
        )
        assert next_closed(connection) is None
        done = last_done(connection)
        assert done is not None
        assert (done.status, done.stories, done.digest) == ("done", 2, digest)
        assert done.seconds == {"link": 0.5}


def test_a_second_slide_cannot_be_opened(store: Store) -> None:
    with store.write() as connection:
        start_slide(connection, START, START + MINUTE, 1)
        with pytest.raises(StateError, match="slide 1 still is"):
            start_slide(connection, START, START + MINUTE, 1)


def test_a_slide_is_not_done_twice(store: Store) -> None:
    fill(store, slides=1)
    with (
        pytest.raises(StateError, match="slide 1 is not closed"),
        store.write() as connection,
    ):
        finish_slide(connection, 1, done_at=START)


def test_the_lowest_closed_slide_is_next(store: Store) -> None:
    with store.write() as connection:
        for _ in range(3):
            take_in(connection, 2)
        found = next_closed(connection)
        assert found is not None
        assert found.number == 1


def test_articles_wait_until_their_slide_is_done(store: Store) -> None:
    with store.write() as connection:
        rows = take_in(connection, 3)
        take_in(connection, 2)
        assert waiting_articles(connection) == 5
        decide(connection, rows, START)
        assert waiting_articles(connection) == 2
        first, last = article(connection, "a1"), article(connection, "a5")
        assert first is not None
        assert last is not None
        assert (first.waiting, last.waiting) == (False, True)


def test_the_newest_slides_come_first(store: Store) -> None:
    fill(store, slides=4)
    with store.read() as connection:
        assert [one.number for one in recent_slides(connection, 2)] == [4, 3]
        assert [one.number for one in recent_slides(connection, 5, before=3)] == [2, 1]
        found = slide(connection, 2)
        assert found is not None
        assert (found.first_seq, found.last_seq, found.articles) == (5, 8, 4)
        assert slide(connection, 9) is None
