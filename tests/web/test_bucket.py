"""A caller has what the rate gives, and never more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ustory.web import limits
from ustory.web.limits import Buckets, Rate


class Hand:
    """A clock moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return what it was set to."""
        return self.now


@given(st.lists(st.floats(0, 5), max_size=60), st.integers(1, 5), st.floats(0.1, 3))
def test_no_caller_gets_more_than_burst_and_rate(
    pauses: list[float], burst: int, rate: float
) -> None:
    clock = Hand()
    buckets = Buckets(Rate(burst=burst, per_second=rate), clock)
    taken = 0
    for pause in pauses:
        clock.now += pause
        taken += buckets.take("a") == 0

    assert taken <= burst + clock.now * rate + 1e-6


@given(st.integers(1, 5), st.floats(0.1, 3))
def test_who_waits_as_told_is_served(burst: int, rate: float) -> None:
    clock = Hand()
    buckets = Buckets(Rate(burst=burst, per_second=rate), clock)
    while (wait := buckets.take("a")) == 0:
        pass

    clock.now += wait

    assert buckets.take("a") == 0


def test_callers_do_not_share_a_bucket() -> None:
    buckets = Buckets(Rate(burst=1, per_second=1), Hand())

    assert [buckets.take(name) for name in "aab"] == [0, 1, 0]


def test_a_clock_that_goes_back_gives_nothing() -> None:
    clock = Hand()
    buckets = Buckets(Rate(burst=1, per_second=1), clock)
    buckets.take("a")
    clock.now = -100.0

    assert buckets.take("a") == 1


def test_memory_for_callers_is_bounded() -> None:
    buckets = Buckets(Rate(burst=1, per_second=1), Hand())
    for number in range(limits.MAX_CALLERS + 10):
        buckets.take(str(number))

    assert len(buckets._buckets) == limits.MAX_CALLERS
    assert buckets.take(str(limits.MAX_CALLERS + 9)) == 1
