"""Cold engines begin at every fifth day, and are scored beside a warm one."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from ustory_bench.experiments.slides import with_times
from ustory_bench.quality import cold_start
from ustory_bench.quality.cold_start import (
    EVERY,
    HOURS,
    RESULTS,
    measured,
    starts_of,
)
from ustory_bench.quality.cold_start_figures import figures
from ustory_bench.quality.streams import LABELLED, SETTINGS, load_labelled

READ = json.loads(RESULTS.read_text(encoding="utf-8"))


def test_every_fifth_day_with_articles_is_a_start() -> None:
    stream = load_labelled("simulated")
    days = sorted({each.date() for each in stream.published.values()})

    starts = starts_of(stream)

    assert [start.date() for start in starts] == days[::EVERY]
    assert {start.time().isoformat() for start in starts} == {"00:00:00"}


def test_the_articles_of_all_starts_are_counted_by_the_hour() -> None:
    stream = with_times(load_labelled("simulated"))
    found = measured(stream, SETTINGS)

    for hour in HOURS:
        expected = sum(
            start <= moment < start + timedelta(hours=hour)
            for start in starts_of(stream)
            for moment in stream.published.values()
        )
        assert found["hours"][str(hour)]["articles"] == expected
    last = found["hours"]["48"]
    assert 0 < last["shared"] < last["articles"]
    assert last["alone"]["bcubed_precision"] == 1
    assert last["cold"]["bcubed_f1"] > last["alone"]["bcubed_f1"]


def test_at_the_first_start_of_all_an_engine_is_as_warm_as_it_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cold_start, "EVERY", 10_000)  # the first day alone

    found = measured(load_labelled("demo"), SETTINGS)

    assert found["starts"] == 1
    for row in found["hours"].values():
        assert row["cold"] == row["warm"]


def test_one_command_writes_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cold_start, "HOURS", (1, 4))
    path = tmp_path / "found.json"

    cold_start.main(["demo", "--results", str(path)])

    written = json.loads(path.read_text(encoding="utf-8"))
    assert set(written["streams"]["demo"]["hours"]) == {"1", "4"}


@pytest.mark.parametrize("name", LABELLED)
def test_the_results_are_of_every_labelled_stream_and_hour(name: str) -> None:
    each = READ["streams"][name]

    assert list(each["hours"]) == [str(hour) for hour in HOURS]
    counts = [row["articles"] for row in each["hours"].values()]
    assert counts == sorted(counts)
    assert counts[-1] > 0


def test_the_figure_has_a_line_of_each_stream_cold_and_warm() -> None:
    (figure,) = figures(READ)

    assert len(figure.traces) == 2 * len(READ["streams"])
    assert figures({}) == []
