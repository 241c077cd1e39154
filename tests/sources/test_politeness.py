"""Hosts are asked one request at a time, with pauses, and after failures rarely."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Lock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.backoff import Backoff
from ustory.sources.http.politeness import (
    LONGEST_WAIT,
    Spacing,
    draw,
    retry_after,
    spread,
)

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)
FIRST, LONGEST = timedelta(minutes=15), timedelta(days=1)
BACKOFF = Backoff(FIRST, LONGEST)


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Move the clock on."""
        self.slept.append(seconds)
        self.now += seconds


def spacing(clock: Clock, gap: float = 1.0) -> Spacing:
    return Spacing(gap, monotonic=lambda: clock.now, sleep=clock.sleep)


def test_a_host_is_asked_again_after_a_pause_and_another_at_once() -> None:
    clock = Clock()
    turns = spacing(clock)
    for host in ("a.org", "b.org", "a.org", "a.org"):
        with turns.turn(host):
            pass
    assert clock.slept == [1.0, 1.0]


def test_the_pause_begins_when_the_answer_is_there() -> None:
    clock = Clock()
    turns = spacing(clock)
    with turns.turn("a.org"):
        clock.now += 10
    with turns.turn("a.org"):
        assert clock.slept == [1.0]
    clock.now += 0.25
    with turns.turn("a.org"):
        assert clock.slept == [1.0, 0.75]


def test_a_host_may_ask_for_a_longer_pause_but_not_for_an_endless_one() -> None:
    clock = Clock()
    turns = spacing(clock)
    for gap in (None, 5.0, 0.1, 1e9):
        with turns.turn("a.org", gap):
            pass
    assert clock.slept == [5.0, 1.0, 60.0]


def test_a_turn_that_fails_is_over_too() -> None:
    turns = spacing(Clock())
    with pytest.raises(ValueError, match="failed"), turns.turn("a.org"):
        raise ValueError("failed")
    with turns.turn("a.org"):
        pass


def test_many_threads_take_turns_at_a_host() -> None:
    turns = Spacing(0.0)
    inside, most, lock = 0, 0, Lock()

    def visit(number: int) -> None:
        nonlocal inside, most
        with turns.turn("a.org"):
            with lock:
                inside += 1
                most = max(most, inside)
            with lock:
                inside -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(visit, range(200)))
    assert most == 1


def test_hosts_that_were_not_asked_for_long_are_forgotten() -> None:
    clock = Clock()
    turns = spacing(clock)
    for number in range(10_500):
        clock.now += 1
        with turns.turn(f"{number}.org"):
            pass
    assert len(turns._hosts) < 10_000


@given(st.integers(1, 200), st.integers(0, 5), st.text(max_size=20))
def test_the_wait_after_failures_doubles_up_to_the_longest(
    failures: int, seed: int, key: str
) -> None:
    wait = BACKOFF.after(failures, draw(seed, key, failures))
    full = min(FIRST * 2 ** min(failures - 1, 10), LONGEST)
    assert full / 2 <= wait <= full
    assert wait == BACKOFF.after(failures, draw(seed, key, failures))


def test_feeds_that_fail_together_are_not_asked_together() -> None:
    waits = {BACKOFF.after(3, draw(0, f"https://{n}.org", 3)) for n in range(100)}
    assert len(waits) == 100
    assert BACKOFF.after(3, draw(1, "https://0.org", 3)) not in waits


@given(st.integers(0, 5), st.text(max_size=20), st.integers(0, 2**40))
def test_a_regular_wait_is_spread_by_a_tenth(seed: int, key: str, number: int) -> None:
    wait = spread(FIRST, seed=seed, key=key, number=number)
    assert FIRST * 0.9 <= wait <= FIRST * 1.1


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("120", timedelta(minutes=2)),
        (" 0 ", timedelta(0)),
        ("Thu, 07 Mar 2024 13:00:00 GMT", timedelta(hours=1)),
        ("Thu, 07 Mar 2024 11:00:00 GMT", timedelta(0)),
        ("999999999", LONGEST_WAIT),
        ("9" * 5000, LONGEST_WAIT),
        ("Fri, 01 Jan 2999 00:00:00 GMT", LONGEST_WAIT),
        ("soon", None),
        ("-5", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_a_date(
    header: str | None, wait: timedelta | None
) -> None:
    assert retry_after(header, NOW) == wait
