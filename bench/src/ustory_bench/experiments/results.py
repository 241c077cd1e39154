"""What a bench leaves behind: results.json, results.csv, tables and the page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from ustory_bench.experiments.contract import Experiment
from ustory_bench.experiments.stream_windows import spans_of, windows_told
from ustory_bench.experiments.trivial import TRIVIAL
from ustory_bench.report import latex, markdown, page, table_csv
from ustory_bench.report.blocks import Section
from ustory_bench.report.files import write_text
from ustory_bench.report.wellformed import check_sections
from ustory_bench.runner.jobs import OK, BenchPlan, Cell, Plain
from ustory_bench.runner.machine import machine
from ustory_bench.runner.prepared_streams import Prepared
from ustory_bench.runner.scoring import SCORE

FORMAT = 1
"""Number of the layout of results.json; another one is another layout."""

_COLUMNS = ("system", "stream", "encoder", "parameters", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All that a bench knows when its jobs are done."""

    plan: BenchPlan
    cells: Mapping[str, Sequence[Cell]]
    """By experiment, in the order of its jobs."""
    material: Mapping[tuple[str, str], Prepared]
    limits: Mapping[str, Plain]

    @property
    def distinct(self) -> list[Cell]:
        """Every cell once, in the order of the experiments."""
        found = {
            json.dumps(asdict(cell.job), sort_keys=True): cell
            for cells in self.cells.values()
            for cell in cells
        }
        return list(found.values())

    @property
    def failed(self) -> list[Cell]:
        """The cells without a result."""
        return [cell for cell in self.distinct if cell.status != OK]


def write_report(
    measured: Measured, experiments: Mapping[str, Experiment], folder: Path
) -> None:
    """Write all files of the report; results.json first, which has every number."""
    results = results_of(measured, experiments)
    text = json.dumps(results, indent=1, ensure_ascii=False, allow_nan=False)
    write_text(folder / "results.json", text + "\n")
    write_text(folder / "results.csv", _csv(measured.distinct))
    sections = [
        section_of(each, results["experiments"][name])
        for name, each in experiments.items()
    ]
    markdown.write_tables(sections, folder / "tables.md")
    latex.write_tables(sections, folder / "tables")
    table_csv.write_tables(sections, folder / "tables")
    title = f"Story discovery on {' and '.join(measured.plan.streams)}"
    page.write_page(title, _about(measured, results), sections, folder / "report.html")


def results_of(
    measured: Measured, experiments: Mapping[str, Experiment]
) -> dict[str, Plain]:
    """Return what results.json holds: the same cells give the same text."""
    plan = measured.plan
    found = {
        "format": FORMAT,
        "version": version("ustory"),
        "machine": machine(),
        "settings": plan.settings.to_dict(),
        **({"windows": dict(plan.windows)} if plan.windows else {}),
        "plan": {
            "streams": list(plan.streams),
            "encoders": list(plan.encoders),
            "systems": list(plan.systems),
            "experiments": list(experiments),
            "seeds": plan.seeds,
            "tune": plan.tune,
            "limits": dict(measured.limits),
        },
        "streams": _streams(measured.material),
        "experiments": {
            name: _gathered(each, plan, measured.cells[name])
            for name, each in experiments.items()
        },
        "failed": [
            {**asdict(cell.job), "status": cell.status, "reason": cell.reason}
            for cell in measured.failed
        ],
    }
    plain: dict[str, Plain] = json.loads(json.dumps(found))
    return plain


def section_of(experiment: Experiment, data: Mapping[str, Plain]) -> Section:
    """Return an experiment's section; one that cannot be made says why instead."""
    fault = data.get("error")
    if fault is None:
        try:
            section = experiment.section(data)
            check_sections([section])
        except Exception as error:  # noqa: BLE001 - the other sections are not lost
            fault = f"{type(error).__name__}: {error}"
        else:
            return section
    return Section(
        id=experiment.name,
        title=experiment.title,
        paper=experiment.paper,
        text="This experiment could not be shown.",
        blocks=(),
        faults=(str(fault),),
    )


def _gathered(experiment: Experiment, plan: BenchPlan, cells: Sequence[Cell]) -> Plain:
    try:
        data = experiment.gather(plan, cells)
        json.dumps(data, allow_nan=False)
    except Exception as error:  # noqa: BLE001 - the other experiments are not lost
        return {"error": f"{type(error).__name__}: {error}"}
    return data


def _streams(material: Mapping[tuple[str, str], Prepared]) -> dict[str, Plain]:
    found: dict[str, dict[str, Plain]] = {}
    for (name, encoder), each in material.items():
        about = {key: value for key, value in each.about.items() if key != "dim"}
        entry = found.setdefault(name, {**about, "encoders": {}})
        known = {"dim": each.about["dim"], "fingerprint": each.fingerprint}
        entry["encoders"][encoder] = known
    return found


def _csv(cells: Sequence[Cell]) -> str:
    """Return a row for each measure of each system, stream, encoder and protocol."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*_COLUMNS, "protocol", "measure", "value"])
    for cell in cells:
        if cell.job.task in (SCORE, TRIVIAL):
            asked = cell.job.arguments
            chosen = asked.get("parameters") or {}
            told = "; ".join(f"{name}={value}" for name, value in chosen.items())
            name = asked.get("system") or asked["name"]
            job = (name, cell.job.stream, cell.job.encoder, told, asked.get("seed", 0))
            writer.writerows([*job, *measure] for measure in _measures(cell))
    return file.getvalue()


def _measures(cell: Cell) -> Iterator[tuple[str, str, Plain]]:
    """Yield protocol, name and value of each measure; how it ended, if badly."""
    if cell.status != OK:
        yield "", "status", cell.status
        return
    for protocol, figures in cell.result["figures"].items():
        for name, value in figures.items():
            yield protocol, name, value
    for name, value in cell.result["identity"].items():
        yield "singleton", f"identity_{name}", value
    for name in ("found", "slides", "seconds", "longest"):
        yield "", name, cell.result[name]
    yield "", "peak_mib", cell.peak_mib


def _about(measured: Measured, results: Mapping[str, Plain]) -> dict[str, str]:
    plan, box = measured.plan, results["machine"]
    streams = (
        f"{name} ({each['articles']:,} articles, {each['stories']:,} stories)"
        for name, each in results["streams"].items()
        if name in plan.streams
    )
    spans = spans_of(plan)
    about = {
        "Streams": ", ".join(streams),
        "Encoders": ", ".join(plan.encoders),
        "Windows": f"{windows_told(spans)}, sliding by {spans['slide']}",
        "Systems": f"{len(plan.systems)}"
        + (", tuned on other streams too" if plan.tune else ", at their defaults"),
        "Seeds": str(plan.seeds),
        "Measured on": f"{box['processor']}, {box['cores']} cores, "
        f"{box['memory_gib']} GiB, Python {box['python']}",
        "Version": f"ustory {results['version']}",
    }
    if measured.failed:
        about["Not measured"] = f"{len(measured.failed)} of {len(measured.distinct)}"
    return about
