"""What the tables of a comparison share: names, blocks, and the order of lines."""

from __future__ import annotations

from collections.abc import Mapping

from ustory_bench.experiments.kinds import ABLATION, FLOOR, OTHER, OURS, VARIANT, WORDS
from ustory_bench.report.blocks import Value
from ustory_bench.runner.jobs import FAILED, MEMORY, MISSING, TIMEOUT, Plain

TITLES = {"bcubed_f1": "B3-F1", "ami": "AMI", "ari": "ARI"}
STATUS = {
    FAILED: "failed",
    TIMEOUT: "out of time",
    MEMORY: "out of memory",
    MISSING: "not installed",
}
"""What stands in the row of a system that has no result."""

NONE = Value(value=None)
"""Shown as a dash."""


def block_name(line: Mapping[str, str]) -> str:
    """Return the block that a line stands in."""
    names = {
        WORDS: "Baselines",
        OTHER: "Other baselines",
        VARIANT: "PSE variants",
        OURS: "USTORY",
        ABLATION: "Ablations of ustory",
        FLOOR: "No method",
    }
    name = names[line["kind"]]
    alone = line["kind"] in (WORDS, FLOOR)
    return name if alone else f"{name} ({line['encoder']})"


def lines_in(
    data: Mapping[str, Plain], setting: str
) -> list[tuple[int, Mapping[str, str]]]:
    """Return the lines of a setting with their places, blocks together."""
    kinds = (WORDS, OTHER, VARIANT, OURS, ABLATION, FLOOR)
    found = [
        (place, line)
        for place, line in enumerate(data["lines"])
        if line["setting"] == setting or line["kind"] == FLOOR
    ]
    encoders = data["encoders"]

    def order(pair: tuple[int, Mapping[str, str]]) -> tuple[int, int, int]:
        kind = kinds.index(pair[1]["kind"])
        ends = {WORDS: -1, FLOOR: len(encoders)}
        block = ends.get(pair[1]["kind"], encoders.index(pair[1]["encoder"]))
        return block, kind, pair[0]

    return sorted(found, key=order)
