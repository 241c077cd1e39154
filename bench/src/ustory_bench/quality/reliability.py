"""Whether probabilities are right: python -m ustory_bench.quality.reliability STREAM.

Mode links runs over labelled streams. Of each pair of articles that has a link, and of
each article in a story, the probability is held against the labels.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ustory.links.groups import LINK
from ustory_bench.quality.calibration import LENGTHS, SIZES, by_column, curve, fitted
from ustory_bench.quality.readings import Readings, StreamReadings, read_run
from ustory_bench.quality.streams import ROOT, labelled, load_labelled, settings_of
from ustory_bench.runner.streams import Stream
from ustory_bench.speed.machine import machine

RESULTS = ROOT / "bench" / "results" / "reliability.json"
KINDS = ("arrival", "settled", "first", "last")
"""Pairs when they are new and when they are old, articles likewise."""
_PAIRS = KINDS[:2]
_TITLES = {
    "arrival": "pairs, on arrival",
    "settled": "pairs, settled",
    "first": "articles, first decision",
    "last": "articles, last decision",
}


def measured(stream: Stream, found: StreamReadings) -> dict[str, Any]:
    """Return all that the results say of a stream."""
    about: dict[str, Any] = {
        "articles": len(stream.articles),
        "stories": len(set(stream.truth.values()) - {None}),
    }
    for kind in KINDS:
        readings: Readings = getattr(found, kind)
        least = LINK if kind in _PAIRS else 0.0
        counted = readings.only(readings.probability >= least)
        about[kind] = {
            **curve(readings, least),
            "by_size": by_column(counted, "size", SIZES),
            "by_length": by_column(counted, "length", LENGTHS),
            "fit": fitted([counted]) if len(counted) else None,
        }
    return about


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure on streams, print what about 90 % comes to, and write the results."""
    asked, console = _arguments(arguments), Console()
    found: dict[str, StreamReadings] = {}
    about = {}
    for name in asked.streams:
        with console.status(f"measuring on {name}"):
            stream, settings = load_labelled(name), settings_of(name)
            found[name] = read_run(stream, settings)
            window = settings.to_dict()["window"]
            about[name] = {"window": window, **measured(stream, found[name])}
    whole = {
        "machine": machine(),
        "link": LINK,
        "streams": about,
        "together": {kind: _together(kind, found.values()) for kind in KINDS},
    }
    _show(console, whole)
    asked.results.parent.mkdir(parents=True, exist_ok=True)
    asked.results.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    console.print(f"written to {asked.results}", soft_wrap=True)


def _together(kind: str, found: Any) -> dict[str, float]:  # noqa: ANN401 - an iterable
    least = LINK if kind in _PAIRS else 0.0
    parts = [getattr(each, kind) for each in found]
    return fitted([part.only(part.probability >= least) for part in parts])


def _show(console: Console, whole: Mapping[str, Any]) -> None:
    columns = (
        "stream",
        "what",
        "about 90 %",
        "mean",
        "right",
        "error",
        "offset, slope",
    )
    table = Table(*columns)
    for name, each in whole["streams"].items():
        for kind in KINDS:
            one, fit = each[kind], each[kind]["fit"] or {}
            row, line = one["about_90"], f"{fit.get('offset')}, {fit.get('slope')}"
            cells = (row["count"], row["mean"], row["right"], one["error"], line)
            table.add_row(name, _TITLES[kind], *map(str, cells))
    console.print(table)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("streams", nargs="*", metavar="STREAM", help="by name")
    parser.add_argument("--results", type=Path, default=RESULTS, help="what to write")
    asked = parser.parse_args(given)
    asked.streams = asked.streams or list(labelled())
    if not asked.streams:
        parser.error("no labelled stream is here; name one: demo or simulated")
    return asked


if __name__ == "__main__":
    main()
