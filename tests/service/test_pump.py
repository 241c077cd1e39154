"""Sources are read by threads of their own, and what fails is tried again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event as Signal

import pytest

from tests.service.running import START, Hand, Rig, article, ids_in, opened
from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival
from ustory.service.intake import IntakeLimits
from ustory.service.pump import Pump
from ustory.store import Store, Unavailable
from ustory.store.feeds import get_cursor
from ustory.store.problems import recent_problems

STREAM = [article(n) for n in range(1, 8)]


class Listed:
    """A source of given articles, whose cursor is how many were read."""

    def __init__(
        self, articles: Sequence[Article], name: str = "listed", live: bool = False
    ) -> None:
        self.articles = list(articles)
        self.name = name
        self.live = live
        self.asked: list[str | None] = []
        self.fail_at: dict[int, BaseException] = {}

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor; fail where that was asked for."""
        self.asked.append(after)
        for number in range(int(after or 0), len(self.articles)):
            if number in self.fail_at:
                raise self.fail_at.pop(number)
            yield Arrival(self.articles[number], str(number + 1))


@contextmanager
def pumping(rig: Rig) -> Iterator[Pump]:
    pump = Pump(rig.intake, rig.store, rig.loop.problems)
    yield pump
    pump.stop()


def cursor(store: Store, name: str = "listed") -> str | None:
    with store.read() as connection:
        return get_cursor(connection, name)


def problems(store: Store) -> list[str]:
    with store.read() as connection:
        return [p.message for p in recent_problems(connection)]


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def test_a_source_is_read_to_its_end_with_its_cursor(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        with pumping(rig) as pump:
            pump.add(Listed(STREAM))
            assert pump.wait(30)
        assert ids_in(store) == [each.id for each in STREAM]
        assert cursor(store) == "7"


def test_reading_goes_on_from_the_cursor_in_the_database(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.intake.accept(STREAM[:3], "listed", "3")
        source = Listed(STREAM)
        with pumping(rig) as pump:
            pump.add(source)
            assert pump.wait(30)
        assert source.asked == ["3"]
        assert ids_in(store) == [each.id for each in STREAM]


def test_a_source_that_fails_is_read_again_and_its_trouble_told(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        source = Listed(STREAM)
        source.fail_at = {4: ConfigError("the wire is cut; mend it")}
        with pumping(rig) as pump:
            pump.add(source)
            until(lambda: "listed" in rig.loop.problems.now())
            assert pump.wait(30)
        assert source.asked == [None, "4"]
        assert ids_in(store) == [each.id for each in STREAM]
        assert problems(store) == ["the wire is cut; mend it"]
        assert rig.loop.problems.now() == {}


class Panic(BaseException):
    """What a compiled package throws: no Exception."""


def test_a_source_is_read_again_after_a_panic_and_where_troubles_cannot_be_written(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flush() -> None:
        raise Panic("no room")

    with opened(sqlite_url) as store:
        rig = Rig(store)
        monkeypatch.setattr(rig.loop.problems, "flush", flush)
        source = Listed(STREAM)
        source.fail_at = {4: Panic("the reader broke")}
        with pumping(rig) as pump:
            pump.add(source)
            until(lambda: "the reader broke" in str(rig.loop.problems.now()))
            assert pump.wait(10)
        assert source.asked == [None, "4"]
        assert ids_in(store) == [each.id for each in STREAM]


def test_one_source_that_fails_does_not_hold_up_another(sqlite_url: str) -> None:
    class Broken(Listed):
        def read(self, after: str | None = None) -> Iterator[Arrival]:
            raise RuntimeError("never")
            yield

    with opened(sqlite_url) as store:
        rig = Rig(store)
        with pumping(rig) as pump:
            pump.add(Broken([], "broken"))
            hose = pump.add(Listed(STREAM))
            assert hose.done.wait(30)
            until(lambda: "RuntimeError: never" in str(rig.loop.problems.now()))
        assert len(ids_in(store)) == len(STREAM)


def test_a_source_that_waits_does_not_keep_back_what_it_gave(sqlite_url: str) -> None:
    go_on = Signal()

    class Waiting(Listed):
        def read(self, after: str | None = None) -> Iterator[Arrival]:
            for arrival in super().read(after):
                yield arrival
                if arrival.cursor == "3":
                    go_on.wait(30)

    with opened(sqlite_url) as store:
        rig = Rig(store)
        with pumping(rig) as pump:
            pump.add(Waiting(STREAM))
            until(lambda: len(ids_in(store)) == 3)
            assert cursor(store) == "3"
            go_on.set()
            assert pump.wait(30)
        assert len(ids_in(store)) == len(STREAM)


def test_a_live_source_is_asked_again(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        source = Listed(STREAM[:2], live=True)
        with pumping(rig) as pump:
            pump.add(source)
            until(lambda: len(ids_in(store)) == 2)
            source.articles += STREAM[2:]
            until(lambda: len(ids_in(store)) == len(STREAM))


def test_a_full_queue_is_waited_for(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START), limits=IntakeLimits(waiting=4))
        rig.accept(*STREAM[:3])
        with pumping(rig) as pump:
            pump.add(Listed(STREAM))
            until(lambda: "articles wait" in str(rig.loop.problems.now()))
            assert len(ids_in(store)) == 3
            rig.loop.finish()
            assert pump.wait(30)
        assert len(ids_in(store)) == len(STREAM)


def test_a_database_that_is_gone_is_waited_for(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        whole, tries = rig.intake.accept, []

        def accept(*given: object) -> object:
            tries.append(given)
            if len(tries) == 1:
                raise Unavailable("gone", "the database cannot be reached")
            return whole(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(rig.intake, "accept", accept)
        with pumping(rig) as pump:
            pump.add(Listed(STREAM))
            assert pump.wait(30)
        assert len(ids_in(store)) == len(STREAM)
        assert problems(store) == ["the database cannot be reached"]


def test_an_article_that_is_poison_is_left_out_alone(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        whole = rig.intake.accept

        def accept(articles: Sequence[Article], *given: object) -> object:
            if any(each.id == "a4" for each in articles):
                raise RuntimeError("poison")
            return whole(articles, *given)  # type: ignore[arg-type]

        monkeypatch.setattr(rig.intake, "accept", accept)
        with pumping(rig) as pump:
            pump.add(Listed(STREAM))
            assert pump.wait(30)
        assert ids_in(store) == [f"a{n}" for n in (1, 2, 3, 5, 6, 7)]
        assert cursor(store) == "7"
        [said] = problems(store)
        assert said.startswith("article 'a4' was left out")


def test_a_refused_article_is_told_of(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        with pumping(rig) as pump:
            pump.add(Listed([article(1, title=" ", text=""), article(2)]))
            assert pump.wait(30)
        assert ids_in(store) == ["a2"]
        assert "neither" in problems(store)[0]


def test_a_source_that_hangs_does_not_hang_the_service(sqlite_url: str) -> None:
    forever = Signal()

    class Hanging(Listed):
        def read(self, after: str | None = None) -> Iterator[Arrival]:
            forever.wait(60)
            yield from super().read(after)

    with opened(sqlite_url) as store:
        rig = Rig(store)
        with pumping(rig) as pump:
            pump.add(Hanging(STREAM))
            began = time.monotonic()
        assert time.monotonic() - began < 10
        forever.set()


def test_a_bad_record_stops_no_other_source_and_is_told(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        source = Listed(STREAM)
        bad = InputError("bad-date", "the date cannot be read", file="f", line=3)
        source.fail_at = {2: bad}
        with pumping(rig) as pump:
            pump.add(source)
            assert pump.wait(30)
        assert "the date cannot be read" in problems(store)[0]
        assert len(ids_in(store)) == len(STREAM)
