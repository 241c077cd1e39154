"""Time goes on as time does, whatever the machine's clock is set to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.spans import EPOCH
from ustory.service.clock import JUMP, StreamClock, WallClock, wall_time

NOON = datetime(2024, 3, 7, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Machine:
    """A machine with two clocks, of which one can be set."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.offset = timedelta()
        self.said: list[str] = []

    @property
    def true(self) -> datetime:
        """What the time really is."""
        return NOON + timedelta(seconds=self.seconds)

    def clock(self) -> WallClock:
        """Return a clock that reads this machine."""
        return WallClock(
            wall=lambda: self.true + self.offset,
            steady=lambda: self.seconds,
            on_jump=self.said.append,
        )


def test_a_clock_that_works_is_followed() -> None:
    machine = Machine()
    clock = machine.clock()
    machine.seconds += 7_200
    machine.offset += timedelta(seconds=3)  # a correction
    assert clock() == machine.true + timedelta(seconds=3)
    assert not clock.jumped
    assert machine.said == []


@pytest.mark.parametrize("days", [400, -400])
def test_a_jump_is_held_off_and_told_once(days: int) -> None:
    machine = Machine()
    clock = machine.clock()
    machine.offset = timedelta(days=days)
    for _ in range(3):
        machine.seconds += 60
        assert clock() == machine.true
    assert clock.jumped
    assert len(machine.said) == 1
    assert "restart to take its time" in machine.said[0]
    assert ("forwards" if days > 0 else "backwards") in machine.said[0]


def test_a_clock_that_is_set_right_again_is_followed_again() -> None:
    machine = Machine()
    clock = machine.clock()
    machine.offset = timedelta(days=1)
    clock()
    machine.offset = timedelta(seconds=10)
    machine.seconds += 60
    assert clock() == machine.true + timedelta(seconds=10)
    assert not clock.jumped
    machine.offset = timedelta(days=2)
    clock()
    assert len(machine.said) == 2


def test_a_small_step_back_stops_time_until_it_is_made_up_for() -> None:
    machine = Machine()
    clock = machine.clock()
    machine.seconds += 100
    before = clock()
    machine.offset = -timedelta(seconds=50)
    machine.seconds += 20
    assert clock() == before
    machine.seconds += 40
    assert clock() == machine.true - timedelta(seconds=50)


@given(
    st.lists(st.tuples(st.floats(0, 10_000), st.floats(-10_000, 10_000)), max_size=20)
)
def test_time_never_goes_back_and_is_never_an_hour_off(
    steps: list[tuple[float, float]],
) -> None:
    machine = Machine()
    clock = machine.clock()
    last = clock()
    for passed, moved in steps:
        machine.seconds += passed
        machine.offset += timedelta(seconds=moved)
        now = clock()
        assert now >= last
        assert now - last <= timedelta(seconds=passed) + JUMP + timedelta(seconds=1)
        last = now


def test_the_wall_does_not_hear_what_articles_claim() -> None:
    clock = Machine().clock()
    clock.reached(NOON + HOUR)
    assert clock.after(NOON, NOON + HOUR) == NOON
    assert clock() == NOON


def test_the_machine_has_a_clock() -> None:
    clock = WallClock()
    assert abs(clock() - wall_time()) < timedelta(seconds=5)


def test_the_time_of_a_stream_is_its_newest_date() -> None:
    clock = StreamClock()
    assert clock() == EPOCH
    assert clock.after(clock(), NOON) == NOON
    assert clock() == EPOCH  # nothing was committed
    clock.reached(NOON)
    clock.reached(NOON - HOUR)
    assert clock() == NOON


def test_a_date_in_the_future_does_not_move_a_stream() -> None:
    clock = StreamClock(NOON, ceiling=lambda: NOON + HOUR)
    assert clock.after(NOON, NOON + HOUR) == NOON + HOUR
    assert clock.after(NOON, NOON + 2 * HOUR) == NOON
