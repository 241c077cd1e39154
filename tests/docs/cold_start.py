"""The first hours of a new engine, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.docs.measured import FOLDER, grid, number, results, shown
from tests.docs.parts import link
from ustory_bench.quality.cold_start import EVERY
from ustory_bench.quality.cold_start_figures import figures
from ustory_bench.report.blocks import Figure

FILE = "cold-start.json"


def cold_start_figures() -> list[Figure]:
    """Return the figure of what was measured."""
    found: dict[str, Any] = results(FILE) if (FOLDER / FILE).exists() else {}
    return figures(found)


def cold_start(page: Path, what: str) -> str:
    """Return a part of the page: `about`, `table` or `figure`."""
    if what == "about":
        return _about(page)
    if what == "table":
        return _table()
    (figure,) = cold_start_figures()
    return shown(page, figure)


def _about(page: Path) -> str:
    streams = ", ".join(
        f"`{name}` ({each['starts']} starts, W = {each['window']})"
        for name, each in results(FILE)["streams"].items()
    )
    return (
        f"Streams: {streams}; each day in {EVERY} that has articles is a start. Slides "
        f"of an hour, `wordllama`, protocol `{results(FILE)['protocol']}`. Every "
        f"number is in {link(page, f'bench/results/{FILE}')}, which "
        "`python -m ustory_bench.quality.cold_start` writes."
    )


def _table() -> str:
    head = [
        "", "hours", "articles", "share a story", "alone: B³-F1", "cold: B³-F1", "P",
        "R", "warm: B³-F1", "P", "R",
    ]  # fmt: skip
    rows = []
    for name, each in results(FILE)["streams"].items():
        for hour, row in each["hours"].items():
            scores = [
                number(row[what][metric])
                for what in ("cold", "warm")
                for metric in ("bcubed_f1", "bcubed_precision", "bcubed_recall")
            ]
            counts = [f"{row['articles']:,}", f"{row['shared']:,}"]
            alone = number(row["alone"]["bcubed_f1"])
            rows.append([f"`{name}`", hour, *counts, alone, *scores])
    return grid(head, rows)


PARTS: dict[str, Callable[..., str]] = {"cold-start": cold_start}
