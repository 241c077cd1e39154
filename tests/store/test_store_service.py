"""Feeds, cursors, watchlists, messages and problems come back as they went in."""

from __future__ import annotations

from dataclasses import replace

from tests.store.builders import MINUTE, START
from ustory.store import Store
from ustory.store.feeds import (
    add_feeds,
    feed,
    get_cursor,
    put_cursor,
    put_feeds,
    remove_feed,
)
from ustory.store.meta import get_meta, put_meta
from ustory.store.problems import KEEP, add_problem, recent_problems
from ustory.store.tables import Delivery, FeedRow, Match, Watchlist
from ustory.store.watchlists import (
    add_matches,
    all_watchlists,
    delivery,
    due_deliveries,
    matches_of,
    put_deliveries,
    put_watchlist,
    remove_watchlist,
    watchlist,
)


def feed_row(name: str, **given: object) -> FeedRow:
    url = f"https://{name}.example/feed"
    return FeedRow(url=url, added_at=START, **given)  # type: ignore[arg-type]


def test_facts_are_kept_replaced_and_taken_away(store: Store) -> None:
    with store.write() as connection:
        assert get_meta(connection, "seed", 7) == 7
        put_meta(connection, "seed", [1, {"b": None}])
        assert get_meta(connection, "seed") == [1, {"b": None}]
        put_meta(connection, "seed", False)
        assert get_meta(connection, "seed") is False
        put_meta(connection, "seed", None)
        assert get_meta(connection, "seed") is None


def test_a_source_goes_on_where_it_was(store: Store) -> None:
    with store.write() as connection:
        assert get_cursor(connection, "file:a") is None
        put_cursor(connection, "file:a", "10", START)
        put_cursor(connection, "file:b", "x", START)
        put_cursor(connection, "file:a", "20", START + MINUTE)
        assert get_cursor(connection, "file:a") == "20"
        assert get_cursor(connection, "file:b") == "x"


def test_a_feed_is_added_once_and_updated_in_place(store: Store) -> None:
    with store.write() as connection:
        assert len(add_feeds(connection, [feed_row("a"), feed_row("a")])) == 1
        put_feeds(connection, [feed_row("a", articles=5, last_ok=START)])
        added = add_feeds(connection, [feed_row("a"), feed_row("b")])
        assert [row.url for row in added] == ["https://b.example/feed"]
        kept = feed(connection, "https://a.example/feed")
        assert kept is not None
        assert (kept.articles, kept.last_ok) == (5, START)
        assert remove_feed(connection, kept.url)
        assert not remove_feed(connection, kept.url)
        assert feed(connection, kept.url) is None


def watch(name: str, **given: object) -> Watchlist:
    return Watchlist(id=name, name=name, created_at=START, **given)  # type: ignore[arg-type]


def match(name: str, story: str) -> Match:
    return Match(id=0, watchlist=name, story=story, slide=1, at=START, article="a1")


def test_a_watchlist_matches_a_story_once(store: Store) -> None:
    with store.write() as connection:
        first = watch("w1", keywords=("a", "b"), webhook="https://x/", secret="s")
        put_watchlist(connection, first)
        put_watchlist(connection, watch("w2", active=False))
        assert watchlist(connection, "w1") == first
        assert len(all_watchlists(connection)) == 2
        assert all_watchlists(connection, active=True) == [first]
        new = add_matches(connection, [match("w1", "s1"), match("w1", "s1")])
        assert [(one.id, one.story) for one in new] == [(1, "s1")]
        again = [match("w1", "s1"), match("w1", "s2"), match("w2", "s1")]
        new = add_matches(connection, again)
        assert [(one.id, one.watchlist, one.story) for one in new] == [
            (2, "w1", "s2"),
            (3, "w2", "s1"),
        ]
        assert add_matches(connection, []) == []
        assert [one.id for one in matches_of(connection, "w1")] == [2, 1]
        assert [one.id for one in matches_of(connection, "w1", 9, before=2)] == [1]


def test_messages_are_due_until_they_are_sent(store: Store) -> None:
    first = Delivery(
        id="key-1",
        watchlist="w1",
        match=1,
        url="https://x/",
        next_at=START,
        body={"story": "s1"},
    )
    later = replace(first, id="key-2", next_at=START + MINUTE)
    with store.write() as connection:
        put_deliveries(connection, [later, first])
        assert due_deliveries(connection, START) == [first]
        assert due_deliveries(connection, START + MINUTE) == [first, later]
        sent = replace(first, status="sent", attempts=1)
        put_deliveries(connection, [sent])
        assert due_deliveries(connection, START + MINUTE) == [later]
        assert delivery(connection, "key-1") == sent


def test_a_watchlist_goes_with_all_that_is_its_own(store: Store) -> None:
    with store.write() as connection:
        put_watchlist(connection, watch("w1"))
        add_matches(connection, [match("w1", "s1")])
        message = Delivery(id="k", watchlist="w1", match=1, url="u", next_at=START)
        put_deliveries(connection, [message])
        assert remove_watchlist(connection, "w1")
        assert not remove_watchlist(connection, "w1")
        assert matches_of(connection, "w1") == []
        assert delivery(connection, "k") is None


def test_only_the_newest_problems_are_kept(store: Store) -> None:
    with store.write() as connection:
        for number in range(KEEP + 5):
            add_problem(connection, START, "feed", "gone", f"problem {number}")
        newest = recent_problems(connection, 2)
        assert [one.message for one in newest] == ["problem 1004", "problem 1003"]
        rest = recent_problems(connection, 5000, before=newest[-1].id)
        assert len(rest) == KEEP - 2
