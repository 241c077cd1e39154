"""In each window the mode is held against the best rival of that window."""

from __future__ import annotations

import json
from statistics import fmean

import pytest

from ustory.core.settings import Settings
from ustory_bench.quality.streams import LABELLED, load, parts
from ustory_bench.quality.window_sizes import (
    RESULTS,
    SIZES,
    job,
    rivals,
    standing,
)
from ustory_bench.runner.jobs import FAILED, OK, Cell, Inputs
from ustory_bench.runner.scoring import score

MODE = "ustory-links"


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    settings = Settings(mode="paper").with_({"window": "3d"})
    inputs = Inputs(stream=load("demo"), settings=settings, encoder=parts()[1])
    done = [
        Cell(job=job(name, "demo"), status=OK, result=score(inputs, system=name))
        for name in (MODE, "miranda", "textclust")
    ]
    broken = Cell(job=job("hdbscan", "demo"), status=FAILED, reason="it fell over")
    return [*done, broken]


def test_rivals_are_the_baselines_without_their_variants_and_without_ours() -> None:
    found = rivals()

    assert {"constream", "textclust", "hdbscan", "bertopic"} <= set(found)
    assert [n for n in found if n.endswith("-pse") or n.startswith("ustory")] == []


def test_the_mode_is_held_against_the_best_of_those_that_have_a_result(
    cells: list[Cell],
) -> None:
    found = standing(cells, block=3)

    scores = {
        cell.job.system: cell.result["figures"]["singleton"] for cell in cells[:3]
    }
    others = [name for name in scores if name != MODE]
    for part in ("windowed", "whole_stream"):
        measure = f"{part}_bcubed_f1"
        best = max(others, key=lambda name: scores[name][measure])
        assert found["best"][part] == best
        for name in scores:
            shown = found["scores"][name][part]
            assert shown == pytest.approx(scores[name][measure], abs=1e-4)
    windows = {c.job.system: c.result["windows"]["singleton"] for c in cells[:3]}
    mine, its = (
        fmean(windows[name]["bcubed_f1"]) for name in (MODE, found["best"]["windowed"])
    )
    assert found["less"]["mean"] == pytest.approx(mine - its, abs=1e-4)
    low, high = found["less"]["interval"]
    assert low <= found["less"]["mean"] <= high
    assert found["failed"] == {"hdbscan": "it fell over"}


def test_where_windows_are_few_there_is_no_interval(cells: list[Cell]) -> None:
    windows = len(cells[0].result["windows"]["singleton"]["bcubed_f1"])

    assert standing(cells, block=windows)["less"]["interval"] is None


def test_without_a_result_of_the_mode_nothing_is_said(cells: list[Cell]) -> None:
    with pytest.raises(SystemExit, match="on demo: it fell over"):
        standing(cells[::-1], block=3)


def test_all_sizes_were_measured_on_all_labelled_streams() -> None:
    found = json.loads(RESULTS.read_text(encoding="utf-8"))["sizes"]

    assert tuple(found) == SIZES
    assert all(set(streams) == set(LABELLED) for streams in found.values())
