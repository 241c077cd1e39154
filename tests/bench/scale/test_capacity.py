"""What a machine bears follows from what was measured, and from nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ustory_bench.scale.capacity import BUSY, Laws, rounded

LAWS = Laws(
    exponent=1.0,
    seconds=1e-4,
    by_itself=0.25,
    sharded=0.5,
    preparing=1 / 500,
    mib=300.0,
    mib_per_article=0.05,
    largest=140_000,
)


def _results(exponent: float) -> dict[str, Any]:
    def run(window: int, seconds: float, arriving: int) -> dict[str, Any]:
        cell = {
            "window": window,
            "arriving": arriving,
            "slide_seconds": seconds,
            "peak_mib": 200 + window * 0.04,
            "steps": {"links": 3.0, "groups": 1.0},
        }
        return {
            "modes": {"links": cell},
            "preparing": {"articles_per_cpu_second": 400.0},
        }

    windows = {"window-14k": 14_000, "window-45k": 45_000, "window-140k": 140_000}
    found = {
        name: run(window, 1e-4 * window**exponent, window // 7)
        for name, window in windows.items()
    }
    # a quarter of a daily slide is there whatever arrives
    daily = found["window-14k"]["modes"]["links"]["slide_seconds"]
    found["hourly"] = run(14_000, daily * (0.25 + 0.75 * 80 / 2_000), 80)
    return found


def test_the_laws_are_read_off_the_results() -> None:
    laws = Laws.of(_results(1.05), "links")
    assert laws is not None
    assert laws.exponent == pytest.approx(1.05)
    assert laws.seconds == pytest.approx(1e-4)
    assert laws.by_itself == pytest.approx(0.25)
    assert laws.sharded == 0.75
    assert laws.preparing == 1 / 400
    assert (laws.mib, laws.mib_per_article) == pytest.approx((200, 0.04))


def test_what_was_not_measured_has_no_law() -> None:
    found = _results(1.0)
    assert Laws.of(found, "paper") is None
    del found["hourly"]
    without = Laws.of(found, "links")
    assert without is not None
    assert without.by_itself is None
    del found["window-45k"]
    assert Laws.of(found, "links") is None
    assert Laws.of({}, "links") is None


def test_a_day_that_is_borne_takes_the_part_of_it_that_it_may() -> None:
    for cores in (2, 8, 64):
        for slides in (1, 96):
            most = LAWS.by_time(cores, slides)
            assert LAWS.busy(most, cores, slides) == pytest.approx(BUSY * 86_400)


def test_more_cores_bear_more_until_what_nobody_shares_is_all() -> None:
    borne = [LAWS.by_time(cores) for cores in (2, 4, 1_000, 1_000_000)]
    assert borne == sorted(borne)
    alone = BUSY * 86_400 / (7e-4 * (1 - LAWS.sharded))
    assert borne[-1] == pytest.approx(alone, rel=0.01)


def test_on_the_cores_it_was_measured_on_a_slide_takes_what_it_took() -> None:
    idle = replace(LAWS, preparing=0.0)
    assert idle.busy(20_000, 2) == pytest.approx(1e-4 * 140_000)
    assert idle.busy(20_000, 2, 96) == pytest.approx(14 * (0.25 * 96 + 0.75))


def test_memory_bears_the_window_that_fits() -> None:
    per_day = LAWS.by_memory(8)
    assert LAWS.gib(per_day) == pytest.approx(8)
    assert LAWS.by_memory(0.1) == 0


@pytest.mark.parametrize(
    ("value", "shown"),
    [(3.7, 3), (149.0, 150), (20_400.0, 20_000), (1_260_000.0, 1_300_000)],
)
def test_numbers_have_two_digits_that_count(value: float, shown: int) -> None:
    assert rounded(value) == shown
