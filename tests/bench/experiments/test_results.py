"""What a bench leaves behind; one experiment that fails does not take the others."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.bench.experiments.figure_case import demo_inputs, failed, measured, plan_of

from ustory_bench.experiments.contract import Experiment
from ustory_bench.experiments.results import (
    FORMAT,
    Measured,
    results_of,
    write_report,
)
from ustory_bench.experiments.table1 import TABLE1
from ustory_bench.experiments.table2 import TABLE2
from ustory_bench.report.blocks import Section, Table
from ustory_bench.runner.jobs import BenchPlan, Cell, Job, Plain
from ustory_bench.runner.prepared_streams import Prepared

pytest.importorskip("plotly", reason="needs the extra bench to write a page")


class Odd:
    """An experiment that fails where it is told to."""

    name, title, paper = "odd", "Odd", "beyond the paper"

    def __init__(self, where: str) -> None:
        self._where = where

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        """Return none."""
        return []

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        """Return a number, or fail."""
        if self._where == "gather":
            raise KeyError("nowhere")
        return {"value": float("nan") if self._where == "number" else 1}

    def section(self, data: Mapping[str, Plain]) -> Section:
        """Return what cannot be shown, or fail."""
        if self._where == "section":
            raise ZeroDivisionError("by nothing")
        blocks = [Table(id="odd", title="Odd", columns=(), rows=())]
        return Section(
            id="odd", title="Odd", paper="", text="", blocks=blocks, faults=()
        )


@pytest.fixture(scope="module")
def done() -> Measured:
    plan = plan_of("constream", "average-link")
    cells = measured(TABLE2, plan, demo_inputs())
    about = {"sha256": "0", "articles": 122, "labelled": 122, "stories": 25, "dim": 32}
    material = {("stream", "tiny"): Prepared(path=Path(), fingerprint="f", about=about)}
    return Measured(
        plan=plan,
        cells={
            "table1": measured(TABLE1, plan, demo_inputs()),
            "table2": [*cells[:1], failed(cells[1]), *cells[2:]],
            "odd": [],
        },
        material=material,
        limits={"seconds": 60},
    )


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("gather", "KeyError: 'nowhere'"),
        ("number", "ValueError"),
        ("section", "ZeroDivisionError: by nothing"),
        ("table", "has no columns"),
    ],
)
def test_an_experiment_that_fails_is_a_section_that_says_so(
    where: str, told: str, done: Measured, tmp_path: Path
) -> None:
    experiments: dict[str, Experiment] = {"odd": Odd(where), "table1": TABLE1}

    write_report(done, experiments, tmp_path)

    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert told.replace("'", "&#x27;") in page or told in page
    assert "sentences per article" in page


def test_all_files_are_there_and_say_the_same(done: Measured, tmp_path: Path) -> None:
    experiments: dict[str, Experiment] = {"table1": TABLE1, "table2": TABLE2}

    write_report(done, experiments, tmp_path)

    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results == results_of(done, experiments)
    assert results["format"] == FORMAT
    assert results["streams"]["stream"]["encoders"]["tiny"]["fingerprint"] == "f"
    (missing,) = results["failed"]
    assert missing["system"] == "average-link"
    assert missing["reason"] == "the dog ate it"
    f1 = results["experiments"]["table2"]["streams"]["stream"][0]["scores"]
    mean = f1["singleton"]["windowed"]["bcubed_f1"]["mean"]
    assert f"{mean:.3f}" in (tmp_path / "tables.md").read_text(encoding="utf-8")
    tex = tmp_path / "tables" / "table2-singleton-windowed.tex"
    assert f"{mean:.3f}" in tex.read_text(encoding="utf-8")
    assert f"{mean:.3f}" in (tmp_path / "report.html").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "results.csv").read_text())))
    (row,) = (
        row
        for row in rows
        if (row["system"], row["protocol"], row["measure"])
        == ("constream", "singleton", "windowed_bcubed_f1")
    )
    assert float(row["value"]) == mean
    assert [r["value"] for r in rows if r["system"] == "average-link"] == ["failed"]
    keys = [tuple(row.values())[:-1] for row in rows]
    assert len(set(keys)) == len(keys)
