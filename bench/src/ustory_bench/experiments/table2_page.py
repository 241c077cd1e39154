"""Table 2 as it is shown: a table for each protocol and way to score, and more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ustory.scores.agreement import PROTOCOLS
from ustory_bench.experiments.kinds import FLOOR, OURS
from ustory_bench.experiments.table2_more import choices, costs, leads, spreads
from ustory_bench.experiments.table2_notes import note_of, text_of
from ustory_bench.experiments.table2_rows import (
    NONE,
    STATUS,
    TITLES,
    block_name,
    lines_in,
)
from ustory_bench.experiments.table_rows import DEFAULT, TUNED
from ustory_bench.report.blocks import Section, Table, TableRow, Value
from ustory_bench.runner.jobs import OK, Plain
from ustory_bench.runner.scoring import METRICS, PARTS

_PARTS = {"windowed": "over windows", "whole_stream": "over the whole stream"}
_UP = {"over_baselines": "△ over baselines", "over_variants": "▲ over PSE variants"}


def section_of(name: str, title: str, paper: str, data: Mapping[str, Plain]) -> Section:
    """Return the section, from what was gathered alone."""
    tables = [
        _scores(data, setting, protocol, part)
        for setting in (DEFAULT, TUNED)
        if any(line["setting"] == setting for line in data["lines"])
        for protocol in PROTOCOLS
        for part in PARTS
    ]
    more = [leads(data), costs(data), spreads(data), choices(data)]
    return Section(
        id=name,
        title=title,
        paper=paper,
        text=text_of(data),
        blocks=[table for table in (*tables, *more) if table.rows],
        faults=data["faults"],
    )


def _scores(data: Mapping[str, Plain], setting: str, protocol: str, part: str) -> Table:
    lines = lines_in(data, setting)
    best = _best(data, lines, protocol, part)
    rows: list[TableRow] = []
    for place, line in lines:
        entries = [each[place] for each in data["streams"].values()]
        cells = [
            value
            for entry, top in zip(entries, best, strict=True)
            for value in _values(entry, protocol, part, top, line["kind"])
        ]
        rows.append(TableRow(name=line["system"], cells=cells, block=block_name(line)))
        if line["kind"] == OURS:
            rows += _ratios(entries, protocol, part, block_name(line))
    tuned = "tuned-" if setting == TUNED else ""
    said = ", tuned on other streams" if setting == TUNED else ""
    return Table(
        id=f"table2-{tuned}{protocol}-{part.replace('_', '-')}",
        title=f"Scores {_PARTS[part]}, protocol {protocol}{said}",
        columns=[TITLES[metric] for _ in data["streams"] for metric in METRICS],
        groups=[(stream, len(METRICS)) for stream in data["streams"]],
        rows=rows,
        note=note_of(data, setting, protocol, part),
    )


def _best(
    data: Mapping[str, Plain],
    lines: Sequence[tuple[int, Mapping[str, str]]],
    protocol: str,
    part: str,
) -> list[dict[str, float]]:
    """Return the highest score of each metric, stream by stream; floors left out."""
    best = []
    for entries in data["streams"].values():
        scores = [
            entries[place]["scores"][protocol][part]
            for place, line in lines
            if line["kind"] != FLOOR and entries[place]["status"] == OK
        ]
        best.append(
            {m: max((each[m]["mean"] for each in scores), default=2.0) for m in METRICS}
        )
    return best


def _values(
    entry: Mapping[str, Plain],
    protocol: str,
    part: str,
    best: Mapping[str, float],
    kind: str,
) -> Iterator[Value]:
    if entry["status"] != OK:
        yield Value(value=STATUS[entry["status"]])
        yield from [NONE] * (len(METRICS) - 1)
        return
    for metric in METRICS:
        score = entry["scores"][protocol][part][metric]
        spans = score.get("interval") if metric == METRICS[0] else None
        yield Value(
            value=score["mean"],
            mark="*" if score.get("star") else "",
            best=kind != FLOOR and score["mean"] == best[metric],
            interval=(spans[0], spans[1]) if spans else None,
        )


def _ratios(
    entries: Sequence[Mapping[str, Plain]], protocol: str, part: str, block: str
) -> Iterator[TableRow]:
    """Yield the rows of mean improvements, where there is something to improve on."""
    for over, name in _UP.items():
        found = [
            entry["scores"][protocol][part][metric][over]
            if entry["status"] == OK
            else None
            for entry in entries
            for metric in METRICS
        ]
        if any(each is not None for each in found):
            cells = [_percent(each) for each in found]
            yield TableRow(name=name, cells=cells, block=block)


def _percent(ratio: float | None) -> Value:
    return (
        NONE
        if ratio is None
        else Value(value=f"{ratio * 100:+.1f} %".replace("-", "−"))
    )
