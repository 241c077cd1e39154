"""Feeds are asked when they are due, and kept in step with their articles."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import cast

import pytest
from sqlalchemy import Connection, event, select

from tests.service.running import START, Hand, Rig, article, ids_in, opened
from tests.sources.documents import item, rss
from tests.sources.site import HERE, Reply, serving
from ustory.core.article import Article
from ustory.core.backoff import Backoff
from ustory.service import feeding
from ustory.service.backpressure import Full, Strained
from ustory.service.feeding import FeedPump, row_of, state_of, stored_in
from ustory.service.intake import IntakeLimits, Receipt
from ustory.sources.feeds.entry import Fetched
from ustory.sources.feeds.polling import FeedPoller, FeedState, Polled, PollSettings
from ustory.sources.http.client import Web, WebLimits
from ustory.sources.http.politeness import Spacing
from ustory.store import Store
from ustory.store.feeds import add_feeds, all_feeds, remove_feed
from ustory.store.problems import recent_problems
from ustory.store.tables import FeedRow, articles

URL = "https://news.example/feed"


class Wire:
    """Answers for feeds, in place of the web."""

    def __init__(self, *answers: Polled) -> None:
        self.answers = list(answers)
        self.asked: list[FeedState] = []

    def poll(self, states: Iterable[FeedState]) -> Iterator[Polled]:
        """Give the next answer to each feed."""
        for state in states:
            self.asked.append(state)
            yield self.answers.pop(0)

    def slow(self) -> list[str]:
        """Return the feeds that take long: none."""
        return []


def polled(*numbers: int, **state: object) -> Polled:
    found = FeedState(url=URL, added_at=START, next_at=START + timedelta(minutes=15))
    items = tuple(
        Fetched(article=article(n), claimed_at=article(n).published_at) for n in numbers
    )
    changed = replace(found, **state)  # type: ignore[arg-type]
    return Polled(state=changed, items=items)


def pump_of(rig: Rig, wire: Wire) -> FeedPump:
    with rig.store.write() as connection:
        add_feeds(connection, [FeedRow(url=URL, added_at=START)])
    return FeedPump(cast(FeedPoller, wire), rig.intake, rig.store, rig.loop.problems)


def feeds_in(store: Store) -> list[FeedRow]:
    with store.read() as connection:
        return all_feeds(connection)


def test_what_a_feed_gave_is_kept_with_where_it_stands(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store, Hand(START))
        wire = Wire(polled(1, 2, etag="x", articles=2), polled(2, 3, articles=3))
        pump = pump_of(rig, wire)
        assert pump.poll() == 1
        assert ids_in(store) == ["a1", "a2"]
        [row] = feeds_in(store)
        assert (row.etag, row.articles) == ("x", 2)
        assert row.next_at == START + timedelta(minutes=15)
        pump.poll()
        assert ids_in(store) == ["a1", "a2", "a3"]
        assert wire.asked[1] == polled(etag="x", articles=2).state


def test_states_and_articles_are_one_transaction(sqlite_url: str) -> None:
    def fail(connection: object, cursor: object, statement: str, *rest: object) -> None:
        del connection, cursor, rest
        if statement.startswith("INSERT INTO feeds"):
            raise RuntimeError("out of luck")

    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))
        pump = pump_of(rig, Wire(polled(1, etag="x"), polled(1, etag="x")))
        event.listen(store.engine, "before_cursor_execute", fail)
        with pytest.raises(RuntimeError, match="out of luck"):
            pump.poll()
        event.remove(store.engine, "before_cursor_execute", fail)
        assert ids_in(store) == []
        assert feeds_in(store)[0].etag is None
        pump.poll()
        assert ids_in(store) == ["a1"]


def test_a_feed_that_is_removed_meanwhile_stays_removed(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))

        class Removing(Wire):
            def poll(self, states: Iterable[FeedState]) -> Iterator[Polled]:
                for answer in super().poll(states):
                    with store.write() as connection:
                        remove_feed(connection, URL)
                    yield answer

        pump_of(rig, Removing(polled(1))).poll()
        assert feeds_in(store) == []


def test_troubles_of_a_feed_are_told_until_they_are_over(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))
        bad = polled(last_error="the answer has status 500", failures=1)
        pump = pump_of(rig, Wire(bad, replace(bad, problems=("no title",)), polled(1)))
        pump.poll()
        pump.poll()
        assert rig.loop.problems.now() == {URL: "the answer has status 500"}
        pump.poll()
        assert rig.loop.problems.now() == {}
        rig.loop.problems.flush()
        with store.read() as connection:
            said = [p.message for p in recent_problems(connection)]
        assert said == ["no title", "the answer has status 500"]


def test_the_thread_asks_until_it_is_stopped(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))
        wire = Wire(polled(1))
        pump = pump_of(rig, wire)
        pump.start()
        while not ids_in(store):
            pass
        pump.stop()
        assert wire.asked


class Panic(BaseException):
    """What a compiled package throws: no Exception."""


@pytest.mark.parametrize("panic", [Panic("oh"), RuntimeError("oh")])
def test_the_thread_goes_on_after_a_panic_and_where_troubles_cannot_be_written(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, panic: BaseException
) -> None:
    class Failing(Wire):
        def poll(self, states: Iterable[FeedState]) -> Iterator[Polled]:
            if not self.asked:
                self.asked += states
                raise Panic("the reader broke")
            return super().poll(states)

    def flush() -> None:
        raise panic

    soon = timedelta(seconds=0.05)
    monkeypatch.setattr(feeding, "_BACKOFF", Backoff(soon, soon))
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))
        monkeypatch.setattr(rig.loop.problems, "flush", flush)
        pump = pump_of(rig, Failing(polled(1)))
        pump.start()
        wait_for(lambda: ids_in(store) == ["a1"])
        wait_for(lambda: "oh" in rig.loop.problems.now().get(feeding.FEEDS, ""))
        assert pump._thread.is_alive()
        pump.stop()
        assert not pump._thread.is_alive()


def test_a_feed_comes_back_from_the_store_as_it_was() -> None:
    state = polled(etag="e", modified="m", failures=3, status=503, title="T").state
    assert state_of(row_of(state)) == state
    assert state_of(FeedRow(url=URL, added_at=START)).next_at == START


def test_feeds_can_ask_which_articles_are_stored(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        Rig(store).accept(article(1), article(2))
        assert stored_in(store)(["a2", "a3"]) == {"a2"}


def fill(rig: Rig) -> None:
    """Take in as many articles as may wait."""
    rig.accept(*(article(n) for n in range(100, 105)))
    rig.intake.limits = IntakeLimits(waiting=5)


def test_nothing_is_fetched_while_the_queue_is_full(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))
        wire = Wire(polled(1))
        pump = pump_of(rig, wire)
        fill(rig)
        for _ in range(3):
            with pytest.raises(Full):
                pump.poll()
        assert wire.asked == []
        rig.intake.limits = IntakeLimits()
        pump.poll()
        assert "a1" in ids_in(store)


def test_what_was_fetched_is_kept_until_it_can_be_taken_in(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))

        class Filling(Wire):
            def poll(self, states: Iterable[FeedState]) -> Iterator[Polled]:
                for answer in super().poll(states):
                    fill(rig)
                    yield answer

        wire = Filling(polled(1, 2, etag="x"))
        pump = pump_of(rig, wire)
        for _ in range(3):
            with pytest.raises(Full):
                pump.poll()
        assert len(wire.asked) == 1
        rig.intake.limits = IntakeLimits()
        with pytest.raises(IndexError):  # the next round has no answer left
            pump.poll()
        assert {"a1", "a2"} <= set(ids_in(store))
        assert feeds_in(store)[0].etag == "x"


def test_an_article_that_cannot_be_taken_in_is_left_out_and_named(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))
        accept = rig.intake.accept

        def poisoned(
            articles: Sequence[Article],
            origin: str,
            cursor: str | None = None,
            also: Callable[[Connection], None] | None = None,
        ) -> list[Receipt]:
            if any(each.id == "a2" for each in articles):
                raise RuntimeError("poison")
            return accept(articles, origin, cursor, also)

        monkeypatch.setattr(rig.intake, "accept", poisoned)
        wire = Wire(polled(1, 2, 3, etag="x"), polled())
        pump = pump_of(rig, wire)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="poison"):
                pump.poll()
        pump.poll()
        assert ids_in(store) == ["a1", "a3"]
        assert feeds_in(store)[0].etag is None  # of the next answer
        rig.loop.problems.flush()
        with store.read() as connection:
            said = [problem.message for problem in recent_problems(connection)]
        assert any("'a2' was left out" in message for message in said)


def test_a_feed_that_is_slow_is_named_until_it_answers(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))

        class Slow(Wire):
            def poll(self, states: Iterable[FeedState]) -> Iterator[Polled]:
                yield from super().poll(states) if self.ready else ()

            def slow(self) -> list[str]:
                return [] if self.ready else [URL]

            ready = False

        wire = Slow(polled(1))
        pump = pump_of(rig, wire)
        pump.poll()
        assert "more than 30 seconds" in rig.loop.problems.now()[URL]
        wire.ready = True
        pump.poll()
        assert rig.loop.problems.now() == {}


def test_nothing_is_fetched_while_the_service_is_short_of_memory(
    sqlite_url: str,
) -> None:
    def strained() -> None:
        raise Strained(2, 1)

    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))
        wire = Wire(polled(1))
        pump = pump_of(rig, wire)
        rig.intake.before = strained
        with pytest.raises(Strained):
            pump.poll()
        assert wire.asked == []


def test_a_feed_that_hangs_stops_neither_others_nor_new_ones(sqlite_url: str) -> None:
    over = Event()

    def hang(handler: BaseHTTPRequestHandler) -> None:
        over.wait(30)

    with opened(sqlite_url) as store, serving() as site:
        rig = Rig(store, Hand(START))
        site.raw["/hangs"] = hang
        for name in ("well", "new"):
            site.routes[f"/{name}"] = Reply(rss(item(name, f"/a/{name}", "A text.")))
        with store.write() as connection:
            rows = [f"{site.url}/hangs", f"http://localhost:{site.port}/well"]
            add_feeds(connection, [FeedRow(url=u, added_at=START) for u in rows])
        out = Web(
            allow=HERE,
            limits=WebLimits(connect=5.0, read=20.0, total=20.0),
            resolver=lambda host, port: ["127.0.0.1"],
        )
        feeds = FeedPoller(
            out,
            clock=lambda: START,
            settings=PollSettings(patience=0.2, first=20.0),
            spacing=Spacing(0.0),
        )
        pump = FeedPump(feeds, rig.intake, store, rig.loop.problems)
        pump.start()
        try:
            wait_for(lambda: titles_in(store) == {"well"})
            with store.write() as connection:
                address = f"http://later.example:{site.port}/new"
                add_feeds(connection, [FeedRow(url=address, added_at=START)])
            wait_for(lambda: titles_in(store) == {"well", "new"})
            assert feeds.slow(0.0) == [f"{site.url}/hangs"]
        finally:
            over.set()
            pump.stop()


def titles_in(store: Store) -> set[str]:
    with store.read() as connection:
        return set(connection.execute(select(articles.c.title)).scalars())


def wait_for(what: Callable[[], bool], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
