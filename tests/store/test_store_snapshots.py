"""A damaged snapshot is refused in words, and the run goes on from an older one."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from tests.store.builders import START, decide, fill, take_in
from ustory.core.errors import StateError
from ustory.store import Store
from ustory.store.articles import article, texts_of_slide
from ustory.store.listing import StoryQuery, list_stories, search_articles, story
from ustory.store.results import Placement, last_event, place_articles, write_decisions
from ustory.store.side import reopen_after
from ustory.store.slides import digest, last_done, next_closed, waiting_articles
from ustory.store.snapshots import KEEP, Snapshot, damaged, newest, newest_good, put
from ustory.store.tables import DecisionRow, snapshots
from ustory.store.upkeep import check


def spoil(store: Store, slide: int) -> None:
    with store.write() as connection:
        here = update(snapshots).where(snapshots.c.slide == slide)
        connection.execute(here.values(bytes=b"state x"))


def test_the_newest_snapshot_comes_back(store: Store) -> None:
    with store.read() as connection:
        assert newest(connection) is None
        assert newest_good(connection) is None
    large = bytes(range(256)) * 4096
    with store.write() as connection:
        put(connection, 1, 2, b"first", START)
        put(connection, 2, 3, large, START)
        assert newest(connection) == Snapshot(2, large, 3)


def test_only_the_last_few_are_kept(store: Store) -> None:
    fill(store, slides=KEEP + 3)
    with store.read() as connection:
        found = list(connection.execute(snapshots.select()).all())
    assert sorted(row.slide for row in found) == [4, 5, 6]


def test_a_damaged_snapshot_is_refused_in_words(store: Store) -> None:
    fill(store, slides=3)
    spoil(store, 3)
    with store.read() as connection:
        with pytest.raises(StateError, match=r"slide 3 is damaged.*ustory db restore"):
            newest(connection)
        assert newest_good(connection) == Snapshot(2, b"state 2", 1)
        assert damaged(connection) == [3]
    for slide in (1, 2):
        spoil(store, slide)
    with store.read() as connection:
        assert newest_good(connection) is None


def test_slides_done_again_end_where_they_ended(store: Store) -> None:
    fill(store, slides=4)
    with store.read() as connection:
        before = digest(connection)
    with store.write() as connection:
        assert reopen_after(connection, 2) == 2
        assert waiting_articles(connection) == 8
        assert last_event(connection) == 2
        done = last_done(connection)
        assert done is not None
        assert done.number == 2
        assert story(connection, "s000003") is None
        found = list_stories(connection, StoryQuery(text="headline 3"))
        assert found.items == []
        assert digest(connection) != before
    assert check(store) == []
    for number in (3, 4):
        with store.write() as connection:
            following = next_closed(connection)
            assert following is not None
            assert following.number == number
            rows = [row for row, _ in texts_of_slide(connection, number)]
            assert all(row.waiting and row.story is None for row in rows)
            decide(connection, rows, START)
    with store.read() as connection:
        assert digest(connection) == before
        assert len(search_articles(connection, "bridge", 50).items) == 16
    assert check(store) == []


def test_articles_that_moved_go_back_to_where_they_were(store: Store) -> None:
    fill(store, slides=1)
    with store.write() as connection:
        rows = take_in(connection, 1)
        moved = DecisionRow(
            article="a1", slide=2, story=None, record={"how": "waiting"}
        )
        write_decisions(connection, [moved])
        place_articles(connection, {"a1": Placement(story=None, how="waiting")})
        decide(connection, rows, START)
        reopen_after(connection, 1)
        back = article(connection, "a1")
        assert back is not None
        assert (back.story, back.how, back.confidence) == ("s000001", "seeded", 0.75)
        assert not back.waiting
