"""Names are looked up within a deadline, and dead ones keep no other waiting."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Event

import pytest

from tests.sources.site import HERE, QUICK, Reply, serving
from ustory.sources.feeds.polling import FeedPoller, FeedState
from ustory.sources.http.client import Web
from ustory.sources.http.errors import FetchError
from ustory.sources.http.guard import MAX_LOOKUPS, Names, most_lookups
from ustory.sources.http.politeness import Spacing


class Resolver:
    """Knows living names, and hangs on dead ones until it is let go."""

    def __init__(self) -> None:
        self.over = Event()
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> list[str]:
        """Return an address, after a long while for a dead name."""
        self.asked.append(host)
        if host.startswith("dead"):
            self.over.wait(30)
            raise OSError("no such name")
        return ["127.0.0.1"]


@pytest.fixture
def resolver() -> Iterator[Resolver]:
    made = Resolver()
    yield made
    made.over.set()


def test_a_name_that_is_not_found_in_time_is_given_up(resolver: Resolver) -> None:
    names = Names(resolver)
    started = time.monotonic()
    with pytest.raises(OSError, match="took more than"):
        names.find("dead.example", 80, 0.2)
    assert time.monotonic() - started < 5
    assert names.find("live.example", 80, 5.0) == ["127.0.0.1"]


def test_the_lookup_counts_against_the_deadline_of_a_request(
    resolver: Resolver,
) -> None:
    out = Web(allow=HERE, limits=QUICK, resolver=resolver)
    started = time.monotonic()
    with pytest.raises(FetchError, match=r"dead\.example cannot be resolved") as caught:
        out.get("http://dead.example/", seconds=0.3)
    assert caught.value.kind == "name"
    assert time.monotonic() - started < 5


def test_a_name_is_looked_up_once_at_a_time(resolver: Resolver) -> None:
    names = Names(resolver)
    for _ in range(3):
        with pytest.raises(OSError, match="took more than"):
            names.find("dead.example", 80, 0.05)
    assert resolver.asked == ["dead.example"]


def test_dead_names_cannot_take_the_room_of_names_that_were_found(
    resolver: Resolver,
) -> None:
    names = Names(resolver, most=4, reserved=1)
    names.find("known.example", 80)
    for number in range(4):
        with pytest.raises(OSError, match="took more than"):
            names.find(f"dead{number}.example", 80, 0.01)
    with pytest.raises(OSError, match="too many names"):
        names.find("new.example", 80, 0.1)
    assert names.find("known.example", 80) == ["127.0.0.1"]
    resolver.over.set()
    deadline = time.monotonic() + 10
    while names._under_way and time.monotonic() < deadline:
        time.sleep(0.01)
    assert names.find("new.example", 80) == ["127.0.0.1"]


def test_errors_of_the_resolver_are_told() -> None:
    def broken(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(OSError, match="no such name"):
        Names(broken).find("a.example", 80)


def test_an_answer_comes_through_a_name(resolver: Resolver) -> None:
    with serving() as site:
        site.routes["/a"] = Reply(b"here")
        out = Web(allow=HERE, limits=QUICK, resolver=resolver)
        assert out.get(f"http://live.example:{site.port}/a").body == b"here"


def test_a_feed_whose_name_found_no_room_has_not_failed(
    resolver: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ustory.sources.http.guard.LONGEST", 0.2)
    monkeypatch.setattr("ustory.sources.http.guard.most_lookups", lambda: 1)
    out = Web(allow=HERE, limits=QUICK, resolver=resolver)
    start = datetime(2024, 3, 7, tzinfo=UTC)
    feeds = FeedPoller(out, clock=lambda: start, spacing=Spacing(0.0))
    dead = feeds.ask(FeedState.new("http://dead.example/", start)).state
    other = feeds.ask(FeedState.new("http://live.example/", start)).state
    assert (dead.failures, other.failures) == (1, 0)
    assert "too many names" in (other.last_error or "")
    assert other.next_at == start + timedelta(minutes=1)


def test_fewer_names_are_looked_up_where_few_files_may_be_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for files, most in ((1_024, 128), (100_000, MAX_LOOKUPS), (64, 16)):
        monkeypatch.setattr(
            "ustory.sources.http.guard.getrlimit", lambda what, n=files: (n, n)
        )
        assert most_lookups() == most
