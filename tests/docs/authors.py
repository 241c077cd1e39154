"""What the authors' reading scores, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.docs.measured import grid, results
from tests.docs.parts import link


def authors(page: Path) -> str:
    """Return the scores of each reading, a table for each stream."""
    source = link(page, "bench/results/authors.json")
    head = (
        "B³-F1 / AMI / ARI over windows, each number the mean over seeds, from "
        f"{source} (`python -m ustory_bench.quality.authors STREAM`)."
    )
    return "\n\n".join([head, *(_table(name) for name in results("authors.json"))])


def _table(name: str) -> str:
    found = results("authors.json")[name]
    seeds = len(found["seeds"])
    about = f"W = {found['window']}, M = {found['min_articles']}, {seeds} seeds"
    rows = [
        [
            f"`{reading}`" if reading != "both" else reading,
            *(_scores(by_protocol[each]) for each in ("paper", "singleton")),
        ]
        for reading, by_protocol in found["readings"].items()
    ]
    columns = ["reading", "protocol `paper`", "protocol `singleton`"]
    return f"`{name}`, {about}:\n\n{grid(columns, rows)}"


def _scores(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.3f}" for value in values)
