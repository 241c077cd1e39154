"""What the results teach, in sentences and small tables made of the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from tests.docs.measured import grid, number, results
from ustory_bench.experiments.kinds import ABLATION, OTHER, OURS, VARIANT, WORDS
from ustory_bench.experiments.table_rows import DEFAULT
from ustory_bench.runner.jobs import OK

_VARIANT = "-pse"
_DIFFERENT = 0.0005
"""Scores that look the same in three digits are."""


def words(page: Path) -> str:
    """Return whether the baselines do better on words or on sentence vectors."""
    told = []
    known = [name for name in _of_kinds(WORDS) if name + _VARIANT in _entries()]
    for stream in _streams():
        leads = [_score(n, stream) - _score(n + _VARIANT, stream) for n in known]
        ahead = sum(lead > 0 for lead in leads)
        told.append(
            f"On `{stream}` {ahead} of {len(leads)} baselines score higher on words "
            "than on the mean of an article's sentence vectors; the mean difference in "
            f"B³-F1 is {number(fmean(leads))}."
        )
    return " ".join(told)


def protocols(page: Path) -> str:
    """Return what the second protocol does to those that leave articles unassigned."""
    streams = _streams()
    names = [
        name
        for name in _of_kinds(WORDS, OTHER, VARIANT, OURS)
        if any(
            abs(_score(name, s) - _score(name, s, "paper")) > _DIFFERENT
            for s in streams
        )
    ]
    rows = [
        [
            f"`{name}`",
            *(number(_score(name, s, p)) for s in streams for p in PROTOCOLS),
        ]
        for name in names
    ]
    others = len(_of_kinds(WORDS, OTHER, VARIANT, OURS)) - len(names)
    head = ["B³-F1 over windows", *(f"`{s}` {p}" for s in streams for p in PROTOCOLS)]
    return f"{grid(head, rows)}\n\nThe other {others} score the same under both."


def ablations(page: Path) -> str:
    """Return our method with and without time and theme."""
    streams = _streams()
    names = ["ustory", *_of_kinds(ABLATION)]
    rows = [
        [f"`{name}`", *(_with_interval(name, s) for s in streams)] for name in names
    ]
    return grid(["B³-F1 over windows", *(f"`{s}`" for s in streams)], rows)


PROTOCOLS = ("singleton", "paper")


def _streams() -> list[str]:
    found: list[str] = results()["plan"]["streams"]
    return found


def _entries() -> dict[str, Mapping[str, Any]]:
    """Return each system by stream: at its defaults, with the main encoder."""
    found = results()["experiments"]["table2"]
    main = found["encoders"][0]
    return {
        line["system"]: {s: entries[place] for s, entries in found["streams"].items()}
        for place, line in enumerate(found["lines"])
        if line["setting"] == DEFAULT and line["encoder"] == main
    }


def _of_kinds(*kinds: str) -> list[str]:
    """Return the systems of some kinds that were measured on every stream."""
    lines = results()["experiments"]["table2"]["lines"]
    kind = {line["system"]: line["kind"] for line in lines}
    return [
        name
        for name, entries in _entries().items()
        if kind[name] in kinds and all(e["status"] == OK for e in entries.values())
    ]


def _score(name: str, stream: str, protocol: str = "singleton") -> float:
    entry = _entries()[name][stream]
    found: float = entry["scores"][protocol]["windowed"]["bcubed_f1"]["mean"]
    return found


def _with_interval(name: str, stream: str) -> str:
    entry = _entries()[name][stream]["scores"]["singleton"]["windowed"]["bcubed_f1"]
    spans = entry["interval"]
    ends = f" ({number(spans[0])} to {number(spans[1])})" if spans else ""
    return f"{number(entry['mean'])}{ends}"
