"""Identity over time: whether stories keep their ids, and how soon they have one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ustory.core.spans import format_span
from ustory_bench.experiments.contract import DeclaredExperiment
from ustory_bench.experiments.table2_rows import STATUS, block_name, lines_in
from ustory_bench.experiments.table_rows import (
    Line,
    ended,
    jobs_of,
    lines_of,
    told_failures,
)
from ustory_bench.report.blocks import Table, TableRow, Value
from ustory_bench.runner.jobs import OK, BenchPlan, Cell, Job, Plain

_COLUMNS: Mapping[str, tuple[str, int, int]] = {
    "continuity_switches_per_story": ("id switches per story", 2, -1),
    "continuity_unswitched": ("never switch", 3, 1),
    "continuity_fragments_per_story": ("fragments per story", 2, -1),
    "continuity_in_one_piece": ("in one piece", 3, 1),
    "arrival_bcubed_f1": ("B3-F1 on arrival", 3, 1),
    "first_bcubed_f1": ("B3-F1 first", 3, 1),
    "settled_bcubed_f1": ("B3-F1 settled", 3, 1),
    "detection_share": ("detected", 3, 1),
    "detection_by_second_article": ("by the 2nd article", 3, 1),
    "detection_mean_articles": ("articles to detection", 2, 0),
    "detection_median_hours": ("hours to detection", 1, 0),
}
"""Heading, digits, and whether more is better, less, or neither by itself."""


@dataclass(frozen=True, kw_only=True)
class Identity(DeclaredExperiment):
    """What the scores of single windows do not show."""

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        """Return the jobs of Table 2, one seed each."""
        return jobs_of(_lines(plan), replace(plan, seeds=1))

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        """Return the figures of each system on each stream."""
        one = replace(plan, seeds=1)
        found = ended(_lines(plan), one, cells)
        return {
            "slide": format_span(plan.settings.slide),
            "encoders": list(plan.encoders),
            "lines": [
                {"system": each.system, "encoder": each.encoder, "kind": each.kind}
                | {"setting": each.setting}
                for each in _lines(plan)
            ],
            "streams": {
                stream: [_figures(e.cells[0]) for e in found if e.stream == stream]
                for stream in plan.streams
            },
            "faults": told_failures(found),
        }


def _lines(plan: BenchPlan) -> list[Line]:
    return lines_of(plan)


def _figures(cell: Cell) -> dict[str, Plain]:
    if cell.status != OK:
        return {"status": cell.status}
    return {"status": OK, **cell.result["identity"]}


def _table(data: Mapping[str, Plain], stream: str) -> Table:
    entries = data["streams"][stream]
    best = {name: _best(entries, name) for name in _COLUMNS}
    rows = [
        TableRow(
            name=line["system"],
            block=block_name(line),
            cells=_values(entries[place], best),
        )
        for place, line in lines_in(data, "default")
    ]
    return Table(
        id=f"identity-{stream}",
        title=f"Identity over time on {stream}",
        columns=[heading for heading, _, _ in _COLUMNS.values()],
        rows=rows,
        note="True stories of two articles or more; protocol singleton. Switches: a "
        "true story goes by another id than before. Fragments: found stories that "
        "hold its articles at last. B3-F1 of the story on arrival, of the first story "
        "and of the last one of each article. Detected: two of its articles meet in a "
        "found story, in the slide that brings the second of them; articles are means, "
        "hours medians, of detected stories, from the first article to the end of the "
        f"slide ({data['slide']}). Bold: the best.",
    )


def _best(entries: Sequence[Mapping[str, Plain]], name: str) -> float | None:
    sign = _COLUMNS[name][2]
    found = [each[name] for each in entries if each.get(name) is not None]
    return max(found, key=lambda value: sign * value) if found and sign else None


def _values(
    entry: Mapping[str, Plain], best: Mapping[str, float | None]
) -> list[Value]:
    if entry["status"] != OK:
        rest = [Value(value=None)] * (len(_COLUMNS) - 1)
        return [Value(value=STATUS[entry["status"]]), *rest]
    return [
        Value(
            value=entry[name],
            digits=digits,
            best=entry[name] is not None and entry[name] == best[name],
        )
        for name, (_, digits, _) in _COLUMNS.items()
    ]


def _text(data: Mapping[str, Plain]) -> str:
    about = (
        "A window judged alone does not show whether a story keeps its id from one "
        "window to the next, nor how long a reader waits for it. Here each true story "
        "is followed through the stream: how often its id changes, into how many found "
        "stories it falls apart, and how many articles and hours go by until two of "
        "its articles are together. A method that is sure only late scores low on "
        "arrival and high at last."
    )
    return "\n\n".join([about, " ".join(_findings(data))])


def _findings(data: Mapping[str, Plain]) -> list[str]:
    told = []
    for stream, entries in data["streams"].items():
        known = [
            (line["system"], entry)
            for line, entry in zip(data["lines"], entries, strict=True)
            if entry.get("settled_bcubed_f1") is not None
        ]
        if not known:
            told.append(f"On {stream} no system has a result.")
            continue
        system, entry = max(known, key=lambda pair: pair[1]["settled_bcubed_f1"])
        told.append(
            f"On {stream}, {system} has the best settled score, "
            f"{entry['settled_bcubed_f1']:.3f}, after {entry['arrival_bcubed_f1']:.3f} "
            "on arrival"
        )
        ours = dict(known).get("ustory-auto")
        if ours is not None and system != "ustory-auto":
            told[-1] += (
                f"; ustory-auto settles at {ours['settled_bcubed_f1']:.3f}, from "
                f"{ours['arrival_bcubed_f1']:.3f}"
            )
        told[-1] += "."
    return told


IDENTITY = Identity(
    name="identity",
    title="Identity over time",
    paper="beyond the paper",
    text=_text,
    blocks=lambda data: [_table(data, each) for each in data["streams"]],
)
