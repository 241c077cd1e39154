"""Measures speed and prints the tables: python -m ustory_bench.speed [STREAM]."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ustory import Settings
from ustory_bench.speed import tables
from ustory_bench.speed.machine import machine
from ustory_bench.speed.stream import read

ROOT = Path(__file__).parents[4]
RESULTS = ROOT / "bench" / "results" / "speed.json"
STREAM = ROOT.parent / "shared" / "data" / "load-6000.jsonl.gz"


def main() -> None:
    """Run all measurements and write them down."""
    console = Console()
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("STREAM", "")
    path = Path(given) if given else STREAM
    settings = Settings.paper(min_articles=8)
    articles = read(path)
    results: dict[str, Any] = {"machine": machine(), "stream": path.name}
    console.print(results["machine"])
    with console.status("preparing the stream"):
        ready = tables.prepare_all(articles, settings)
    tables.warm_up(ready, settings)
    measurements: dict[str, Callable[[], Any]] = {
        "steps": lambda: tables.steps(ready, settings),
        "whole run": lambda: tables.whole_run(path, settings),
        "window": lambda: tables.growth(ready, settings),
        "stories": lambda: tables.stories(ready, settings),
        "summaries": lambda: tables.summaries(ready, settings),
        "memory": lambda: tables.memory(articles, settings),
    }
    for name, measure in measurements.items():
        with console.status(f"measuring {name}"):
            results[name] = measure()
        _show(console, name, results[name])
    results["machine after"] = machine()
    RESULTS.parent.mkdir(exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    console.print(f"written to {RESULTS.relative_to(ROOT)}")


def _show(console: Console, name: str, result: Any) -> None:  # noqa: ANN401 - rows or a dict
    rows = result.get("rows") if isinstance(result, dict) else result
    if rows is None:
        console.print(name, result)
        return
    title = name
    if isinstance(result, dict):
        title += f" (fitted exponent {result['exponent']})"
    table = Table(*map(str, rows[0]), title=title)
    for row in rows:
        table.add_row(*map(str, row.values()))
    console.print(table)


if __name__ == "__main__":
    main()
