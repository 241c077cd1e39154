"""A month of restarts, bursts and quiet in a few seconds: nothing grows for ever."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.service.running import outcome, pipeline
from ustory.store import Store
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder
from ustory_bench.scale.month import START, Month, ticks
from ustory_bench.scale.soak import bounds
from ustory_bench.scale.soaking import Sample, soak

SHORT = Month(per_day=6, slide=timedelta(hours=12), sentences=3, restarts=1)
FEW = 5_000
"""Objects of Python; one restart that was not let go of would leave more behind."""


def lived(folder: Path, *, restarting: bool = True) -> list[Sample]:
    every = timedelta(days=1 if restarting else SHORT.days)
    return list(
        soak(folder, SHORT, TinyEncoder(), pipeline(), every, restarting=restarting)
    )


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Sample]]:
    """Live through a month, once for all tests that only look."""
    folder = tmp_path_factory.mktemp("soak") / "month"
    return folder, lived(folder)


def test_memory_files_and_database_stay_within_their_bounds(
    month: tuple[Path, list[Sample]],
) -> None:
    _, samples = month
    assert [each.what for each in bounds(samples) if not each.holds] == []
    early = max(each.objects for each in samples if 10 < each.day <= 20)
    late = max(each.objects for each in samples if each.day > 20)
    assert late - early < FEW


def test_the_month_has_all_that_it_should(month: tuple[Path, list[Sample]]) -> None:
    _, samples = month
    assert samples[-1].day == SHORT.days
    assert samples[-1].restarts > 20
    assert samples[-1].slides > 1.5 * SHORT.days
    assert max(each.archived for each in samples) > samples[-1].archived > 0
    before, after = ([s.inside for s in samples if s.day == day] for day in (4, 5))
    assert after[0] - before[0] >= SHORT.per_day  # the burst of the fourth day


def test_the_archive_is_whole_and_restarts_leave_no_trace(
    month: tuple[Path, list[Sample]], tmp_path: Path
) -> None:
    folder, _ = month
    lived(tmp_path / "calm", restarting=False)
    stores = [
        Store.open(str(place / "soak.db")) for place in (folder, tmp_path / "calm")
    ]
    told = [outcome(store) for store in stores]
    wrong = check(stores[0])
    for store in stores:
        store.close()
    assert wrong == []
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rss_mib", 100_000.0),
        ("objects", 100_000_000),
        ("database_mib", 1000.0),
        ("files", 4),
        ("descriptors", 999),
    ],
)
def test_what_grows_is_noticed(
    month: tuple[Path, list[Sample]], name: str, value: float
) -> None:
    _, samples = month
    grown = [*samples[:-1], replace(samples[-1], **{name: value})]  # type: ignore[arg-type]
    assert len([each for each in bounds(grown) if not each.holds]) == 1


def test_bursts_silence_and_absence_are_in_the_month() -> None:
    found = list(ticks(SHORT))
    by_day = {
        day: [
            t
            for t in found
            if (t.now - START - SHORT.slide) // timedelta(days=1) == day
        ]
        for day in range(SHORT.days)
    }
    for day in SHORT.silent:
        assert not any(tick.articles for tick in by_day[day])
    for day in SHORT.bursts:
        assert max(len(tick.articles) for tick in by_day[day]) >= SHORT.per_day
    for day in SHORT.down:
        assert not all(tick.up for tick in by_day[day])
    ids = [article.id for tick in found for article in tick.articles]
    assert len(ids) == len(set(ids))
