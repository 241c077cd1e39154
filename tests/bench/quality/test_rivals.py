from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.bench.runner.rigged_system import ABSENT, RIGGED, register, stream

from ustory.core import registry
from ustory.core.errors import ConfigError
from ustory_bench.quality import comparison, rivals, streams
from ustory_bench.quality.runs import Runs, run_of
from ustory_bench.quality.tables import page
from ustory_bench.runner.job_pool import JobProcess
from ustory_bench.runner.jobs import FAILED, Cell, Job
from ustory_bench.simulate import SimulationPlan

A, B = (stream(name, sha256=name * 64) for name in "ab")


@pytest.fixture(autouse=True)
def rigged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Compare registered rigged systems on the tiny stream, under two names."""
    register(tmp_path / "registered")
    monkeypatch.syspath_prepend(str(tmp_path / "registered"))
    for known in (registry.names, registry.find):
        known.cache_clear()
    monkeypatch.setattr(rivals, "load", {"a": A, "b": B}.__getitem__)
    monkeypatch.setattr(rivals, "machine", dict)
    monkeypatch.setattr(comparison, "AGAINST", "rigged")
    yield
    for known in (registry.names, registry.find):
        known.cache_clear()


def run(folder: Path, *arguments: str) -> dict[str, Any]:
    path = folder / "rivals.json"
    cells = folder / "cells.jsonl"
    rivals.main([*arguments, "--results", str(path), "--cells", str(cells)])
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_every_system_is_run_at_its_defaults_on_every_stream(tmp_path: Path) -> None:
    results = run(tmp_path, "a", "b", "--systems", "rigged")

    for name in "ab":
        cell = results["default"][name]["rigged"]
        assert cell["parameters"] == {"depth": 0}
        assert set(cell["figures"]) == {"singleton", "paper"}
    assert results["streams"]["a"]["stories"] == 3
    assert results["failed"] == []
    assert "tuned" not in results


def test_tuning_takes_what_is_best_on_the_other_stream(tmp_path: Path) -> None:
    results = run(tmp_path, "a", "b", "--tune", "--systems", "rigged")

    assert results["tuned"]["a"]["rigged"]["parameters"] == {"depth": 1}
    assert results["tried"] == {"rigged": 4}
    assert "mean of windowed and whole-stream B3-F1" in results["objective"]
    scores = results["tuned"]["b"]["rigged"]["figures"]["singleton"]
    assert scores["windowed_bcubed_f1"] == 1


def test_tuning_needs_a_second_stream(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="never tuned on"):
        run(tmp_path, "a", "--tune", "--systems", "rigged")


def test_a_failing_system_and_a_missing_extra_are_told_and_not_fatal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("a", "b", "--tune", "--systems", "failing", "absent", "rigged")
    results = run(tmp_path, *arguments)

    reasons = {each["system"]: each["reason"] for each in results["failed"]}
    assert "pip install 'ustory[bench]'" in reasons["absent"]
    assert reasons["failing"] == "ArithmeticError: a depth under nothing"
    assert "pip install 'ustory[bench]'" in capsys.readouterr().out
    assert set(results["tuned"]["a"]) == {"rigged"}
    text = (tmp_path / "rivals.md").read_text(encoding="utf-8")
    assert "| failing | a | depth = -1 | ArithmeticError" in text


def test_a_finished_cell_is_not_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(tmp_path, "a", "b", "--tune", "--systems", "rigged")
    started: list[str] = []

    def never(self: JobProcess, job: Job) -> Cell:
        started.append(job.system)
        return Cell(job=job, status=FAILED, reason="computed again")

    monkeypatch.setattr(JobProcess, "do", never)
    again = run(tmp_path, "a", "b", "--tune", "--systems", "rigged")

    assert started == []
    assert again == first
    fresh = run(tmp_path, "a", "--fresh", "--systems", "rigged")
    assert started == ["rigged"]
    assert fresh["failed"][0]["reason"] == "computed again"


def test_a_key_changes_with_all_that_a_run_depends_on(tmp_path: Path) -> None:
    here = Runs(tmp_path / "cells.jsonl", [A, B])._work
    other = stream("a", sha256="c" * 64)
    there = Runs(tmp_path / "cells.jsonl", [other])._work
    keys = {
        here._key(run_of(RIGGED, A, {})),
        here._key(run_of(ABSENT, A, {})),
        here._key(run_of(RIGGED, A, {"depth": 1})),
        here._key(run_of(RIGGED, B, {})),
        there._key(run_of(RIGGED, other, {})),
    }

    assert len(keys) == 5
    assert here._key(run_of(RIGGED, A, {"depth": 0})) in keys


def test_simulated_streams_are_added_each_from_another_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        streams, "LARGER", SimulationPlan(articles=20, days=3, sentences=3)
    )

    first, second = rivals.streams_of([], 2, Console(quiet=True))

    assert (first.name, second.name) == ("simulated-1", "simulated-2")
    assert first.sha256 != second.sha256
    assert len(first.articles) == 20


def test_two_streams_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="2 streams are named 'a'"):
        rivals.streams_of(["a", "a"], 0, Console(quiet=True))


def test_no_stream_at_all_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        rivals.main(["--tune"])
    assert "give a labelled stream, or --simulated K" in capsys.readouterr().err


def test_the_page_ranks_systems_and_shows_every_view(tmp_path: Path) -> None:
    results = run(tmp_path, "a", "b", "--tune", "--systems", "rigged")
    best = {**results["default"]["a"]["rigged"]}
    best["figures"] = results["tuned"]["a"]["rigged"]["figures"]
    best["difference"] = {"mean": 0.25, "low": 0.125, "high": 0.5, "p": 0.01}
    results["default"]["a"]["better"] = best

    text = page(results)

    lines = text.splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("| better"))
    assert lines[first].startswith("| better | 1.000 |")
    assert lines[first + 1].startswith("| rigged | ")
    assert "+0.250 (+0.125 to +0.500)" in lines[first]
    assert "| rigged | depth = 1 |" in text
    assert text.count("## ") == 2 + 4


@pytest.mark.slow
def test_side_by_side_gives_the_same_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # other processes know the real systems only
    monkeypatch.setattr(rivals, "machine", dict)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one = run(tmp_path / "one", "demo", "--systems", "ustory-auto", "ustory")
    two = run(
        tmp_path / "two", "demo", "--systems", "ustory-auto", "ustory",
        "--processes", "2",
    )  # fmt: skip

    for each in (one, two):
        for cell in each["default"]["demo"].values():
            del cell["seconds"]
    assert one == two
