"""Beside Table 2: leads, time and memory, the spread over seeds, what tuning chose."""

from __future__ import annotations

from collections.abc import Mapping

from ustory.scores.agreement import PROTOCOLS
from ustory_bench.experiments.kinds import FLOOR, OURS
from ustory_bench.experiments.table2_rows import (
    NONE,
    STATUS,
    TITLES,
    block_name,
    lines_in,
)
from ustory_bench.experiments.table_rows import DEFAULT
from ustory_bench.report.blocks import Table, TableRow, Value
from ustory_bench.runner.jobs import OK, Plain
from ustory_bench.runner.scoring import METRICS, PARTS

_SMALL = 0.001
"""A p under this is not told apart from 0 in three digits."""


def leads(data: Mapping[str, Plain]) -> Table:
    """Return how far our method is before or behind the best of the others."""
    rows = [
        TableRow(
            name=line["system"],
            block=f"{block_name(line)}, {line['setting']}, {protocol}",
            cells=[
                value
                for each in data["streams"].values()
                for value in _lead(each[place], protocol)
            ],
        )
        for protocol in PROTOCOLS
        for place, line in enumerate(data["lines"])
        if line["kind"] == OURS
        and any(each[place].get("lead") for each in data["streams"].values())
    ]
    return Table(
        id="table2-lead",
        title="Our method against the best of the others, B3-F1 over windows",
        columns=["best other", "difference", "p"] * len(data["streams"]),
        groups=[(stream, 3) for stream in data["streams"]],
        rows=rows,
        note="Difference: ours less that of the best baseline or PSE variant with the "
        "same encoder, with the 95 % interval of a bootstrap over blocks as long as a "
        "window. p: two-sided paired t-test over windows; windows overlap, so trust "
        "the interval rather than a small p.",
    )


def _lead(entry: Mapping[str, Plain], protocol: str) -> list[Value]:
    found = entry.get("lead", {}).get(protocol)
    if found is None:
        return [NONE] * 3
    spans = found["interval"]
    small = found["p"] is not None and found["p"] < _SMALL
    ends = (spans[0], spans[1]) if spans else None
    return [
        Value(value=found["rival"]),
        Value(value=found["difference"], interval=ends),
        Value(value="< 0.001" if small else found["p"]),
    ]


def costs(data: Mapping[str, Plain]) -> Table:
    """Return what each system takes, at its defaults."""

    def values(entry: Mapping[str, Plain]) -> list[Value]:
        if entry["status"] != OK:
            return [Value(value=STATUS[entry["status"]]), NONE, NONE]
        slide = 1000 * entry["seconds"] / max(entry["slides"], 1)
        return [
            Value(value=entry["seconds"], digits=1),
            Value(value=slide, digits=1),
            Value(value=entry["peak_mib"], digits=0),
        ]

    rows = [
        TableRow(
            name=line["system"],
            block=block_name(line),
            cells=[v for each in data["streams"].values() for v in values(each[place])],
        )
        for place, line in lines_in(data, DEFAULT)
        if line["kind"] != FLOOR
    ]
    return Table(
        id="table2-cost",
        title="Time and memory",
        columns=["s", "ms per slide", "MiB"] * len(data["streams"]),
        groups=[(stream, 3) for stream in data["streams"]],
        rows=rows,
        note="Seconds of the method alone, on one thread; text and encodings were "
        "ready before. MiB: the most memory of the process, less that of an idle one "
        "with the same stream loaded; the libraries of a system and the scoring of its "
        "stories count as its own.",
    )


def spreads(data: Mapping[str, Plain]) -> Table:
    """Return how much scores depend on the seed; no rows for one seed."""

    def values(entry: Mapping[str, Plain]) -> list[Value]:
        if entry["status"] != OK:
            return [NONE] * (2 * len(METRICS))
        scores = entry["scores"][PROTOCOLS[0]][PARTS[0]]
        pairs = [(scores[m]["mean"], scores[m].get("spread")) for m in METRICS]
        return [Value(value=number) for pair in pairs for number in pair]

    rows = [
        TableRow(
            name=line["system"],
            block=block_name(line),
            cells=[v for each in data["streams"].values() for v in values(each[place])],
        )
        for place, line in lines_in(data, DEFAULT)
        if any(each[place].get("seeds", 1) > 1 for each in data["streams"].values())
    ]
    titles = [name for m in METRICS for name in (TITLES[m], "±")]
    return Table(
        id="table2-seeds",
        title=f"Spread over {data['seeds']} seeds, protocol {PROTOCOLS[0]}",
        columns=titles * len(data["streams"]),
        groups=[(stream, len(titles)) for stream in data["streams"]],
        rows=rows,
        note="Means over windows and seeds, and the standard deviation over seeds. "
        "Systems that are not here do not use the seed.",
    )


def choices(data: Mapping[str, Plain]) -> Table:
    """Return the parameters that tuning chose; no rows without it."""

    def values(choice: Mapping[str, Plain] | None) -> list[Value]:
        if choice is None:
            return [NONE] * 2
        chosen = ", ".join(f"{k} = {v}" for k, v in choice["parameters"].items())
        return [Value(value=chosen or "the default"), Value(value=choice["tried"])]

    tuned = list(data["tuned"].values())
    systems = (line["system"] for line in data["lines"])
    rows = [
        TableRow(
            name=system,
            cells=[
                v for each in data["tuned"].values() for v in values(each.get(system))
            ],
        )
        for system in dict.fromkeys(systems)
        if any(system in each for each in tuned)
    ]
    return Table(
        id="table2-choices",
        title="What tuning chose",
        columns=["parameters", "tried"] * len(data["tuned"]),
        groups=[(stream, 2) for stream in data["tuned"]],
        rows=rows,
        note="Chosen on the other streams and two simulated ones, never on the one in "
        f"the heading; the measure is the {data['objective']}.",
    )
