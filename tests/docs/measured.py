"""What the committed results say, as Markdown for the documentation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT
from tests.docs.parts import link
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.stream_windows import windows_told
from ustory_bench.report.blocks import Figure, Section, Table
from ustory_bench.report.markdown import escaped, table_of
from ustory_bench.report.values import number_text

FOLDER = ROOT / "bench" / "results"
PICTURES = ROOT / "docs" / "assets" / "figures"
_HIDDEN = "cosines-sentences-"
"""A figure that shows nothing without the words of articles."""


@cache
def results(name: str = "report/results.json") -> Any:  # noqa: ANN401 - JSON
    """Return a file of results."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


@cache
def section(name: str) -> Section:
    """Return what the report shows of an experiment."""
    return find_experiment(name).section(results()["experiments"][name])


def figures_of(name: str) -> list[Figure]:
    """Return the figures of an experiment that the documentation shows."""
    found = [block for block in section(name).blocks if isinstance(block, Figure)]
    return [figure for figure in found if not figure.id.startswith(_HIDDEN)]


def about(page: Path) -> str:
    """Return what was measured, on which machine, and where all of it is."""
    found = results()
    plan, box, table2 = found["plan"], found["machine"], found["experiments"]["table2"]
    streams = ", ".join(
        f"`{name}` ({found['streams'][name]['articles']:,} articles in "
        f"{found['streams'][name]['stories']:,} stories)"
        for name in plan["streams"]
    )
    encoders = " and ".join(f"`{name}`" for name in plan["encoders"])
    systems = f"{len(plan['systems'])} systems" + (", tuned too" * plan["tune"])
    return (
        f"{systems} on {streams}; encoder {encoders}; windows of "
        f"{windows_told(table2)} that slide by {table2['slide']}; "
        f"{_many(plan['seeds'], 'seed')}. Measured with ustory {found['version']} on "
        f"{box['processor']}, {box['cores']} cores, {box['memory_gib']} GiB, Python "
        f"{box['python']}, {_many(plan['limits']['workers'], 'system')} at a time. "
        f"Every number is in {link(page, 'bench/results/report/results.json')}."
    )


def tables(page: Path, name: str, *only: str) -> str:
    """Return the tables of an experiment, or those that are named."""
    found = [block for block in section(name).blocks if isinstance(block, Table)]
    chosen = [table for table in found if not only or table.id in only]
    assert chosen, f"{page.name}: no such table in {name}: {only}"
    return "\n\n".join(part for table in chosen for part in _table(table))


def finding(page: Path, name: str) -> str:
    """Return what an experiment shows, in words: the last paragraph of its text."""
    *_, last = section(name).text.split("\n\n")
    return escaped(last)


def figures(page: Path, name: str) -> str:
    """Return the pictures of an experiment with their captions."""
    found = figures_of(name)
    assert found, f"{page.name}: {name} has no figure"
    return "\n\n".join(shown(page, figure) for figure in found)


def faults(page: Path) -> str:
    """Return what could not be measured."""
    found = [
        fault for name in results()["experiments"] for fault in section(name).faults
    ]
    return "\n".join(f"- {escaped(fault)}" for fault in dict.fromkeys(found)) or "None."


def choices(page: Path, *settings: str) -> str:
    """Return what was scored of open choices, on the streams that have them all."""
    found = results("choices.json")
    streams = {
        name.partition(".")[0]: each
        for name, each in found["streams"].items()
        if all(setting in each["choices"] for setting in settings)
    }
    order = sorted(streams, key=lambda name: -len(streams[name]["seeds"]))
    rows = [
        [
            f"`{setting} = {value}`",
            *(f"{streams[n]['choices'][setting][value]['mean']:.3f}" for n in order),
        ]
        for setting in settings
        for value in streams[order[0]]["choices"][setting]
    ]
    seeds = "; ".join(f"`{name}`: {_seeds(streams[name]['seeds'])}" for name in order)
    source = link(page, "bench/results/choices.json")
    head = (
        f"Windowed B³-F1, M = {found['settings']['min_articles']}, protocol "
        f"`{found['protocol']}`, from {source}. {seeds}."
    )
    return f"{head}\n\n{grid(['setting', *(f'`{name}`' for name in order)], rows)}"


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; numbers stand flush right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None, digits: int = 3) -> str:
    """Return a number as tables show it; a dash where there is none."""
    return number_text(float("nan") if value is None else value, digits)


def _table(table: Table) -> Iterable[str]:
    yield f"**{escaped(table.title)}**"
    yield table_of(table)
    if table.note:
        yield escaped(table.note)


def shown(page: Path, figure: Figure) -> str:
    """Return a picture with its caption."""
    seen = link(page, f"docs/assets/figures/{figure.id}.svg", escaped(figure.alt))
    return f"!{seen}\n\n**{escaped(figure.title)}.** {escaped(figure.caption)}"


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _seeds(seeds: Sequence[int]) -> str:
    if len(seeds) == 1:
        return f"seed {seeds[0]} alone"
    return f"mean of seeds {seeds[0]} to {seeds[-1]}"
