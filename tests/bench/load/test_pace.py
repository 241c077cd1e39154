"""Articles are handed over when they are due, and lateness is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory_bench.load.pace import Pace, parse_rate
from ustory_bench.simulate import SimulationPlan, simulate

ARTICLES = list(simulate(SimulationPlan(articles=40, sentences=1)))


@dataclass
class Time:
    """A clock that sleeping moves on."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds


def paced(rate: float | None, seconds: float | None = None) -> tuple[Pace, Time]:
    time = Time()
    return Pace(rate, seconds, time, time.sleep), time


def test_articles_come_at_the_rate_and_none_is_late() -> None:
    pace, time = paced(4.0)
    moments = [time.now for _ in pace.one_by_one(ARTICLES)]
    assert moments == pytest.approx([100 + n / 4 for n in range(40)])
    assert max(pace.lags) == pytest.approx(0)
    assert pace.handed == 40


def test_who_is_slow_falls_behind_and_catches_up_again() -> None:
    pace, time = paced(2.0)
    late = []
    for number, _ in enumerate(pace.one_by_one(ARTICLES)):
        late.append(pace.lag)
        if number == 4:
            time.now += 3.0  # a slide
    assert late[:5] == pytest.approx([0] * 5)
    assert late[5] == pytest.approx(2.5)
    assert late[6] == pytest.approx(2.0)
    assert late[-1] == pytest.approx(0)


def test_without_a_rate_nothing_waits_and_nothing_is_late() -> None:
    pace, time = paced(None)
    for _ in pace.one_by_one(ARTICLES):
        time.now += 1
    assert time.slept == []
    assert set(pace.lags) == {0.0}


@pytest.mark.parametrize("rate", [None, 8.0], ids=["max", "eight"])
def test_it_ends_when_the_seconds_are_over(rate: float | None) -> None:
    pace, time = paced(rate, 2.0)
    for _ in pace.one_by_one(ARTICLES):
        time.now += 0.125 if rate is None else 0.0
    assert pace.handed == 16
    assert time.now <= 102.0 + 1e-9


def _posted(pace: Pace, time: Time, took: float) -> Iterator[list[str]]:
    for batch in pace.in_batches(ARTICLES, 8):
        time.now += took
        pace.taken(len(batch))
        yield [article.id for article in batch]


@given(st.floats(min_value=0.0, max_value=1e7))
def test_it_ends_on_time_whatever_the_clock_says(now: float) -> None:
    time = Time(now)
    pace = Pace(20.0, 0.3, time, time.sleep)

    assert len(list(pace.one_by_one(ARTICLES[:9]))) == 6


def test_a_batch_holds_what_is_due() -> None:
    pace, time = paced(10.0)
    sizes = [len(ids) for ids in _posted(pace, time, 0.35)]
    assert sizes[0] == 1
    assert set(sizes[1:-1]) <= {3, 4}
    assert pace.lags[-1] >= 0.35


@given(
    rate=st.one_of(st.none(), st.floats(0.5, 500)),
    took=st.floats(0, 3),
)
def test_every_article_is_handed_over_once_and_in_order(
    rate: float | None, took: float
) -> None:
    pace, time = paced(rate)
    batches = list(_posted(pace, time, took))
    assert [one for ids in batches for one in ids] == [a.id for a in ARTICLES]
    assert all(1 <= len(ids) <= 8 for ids in batches)
    assert len(pace.lags) == pace.handed == len(ARTICLES)


@pytest.mark.parametrize("text", ["0", "-3", "fast", "nan", "inf", ""])
def test_a_rate_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="above 0, like 100, or `max`"):
        parse_rate(text)


def test_nothing_to_hand_over_is_no_error() -> None:
    pace, _ = paced(3.0)
    empty: list[Article] = []
    assert list(pace.in_batches(empty, 5)) == []
    assert pace.lag == 0
