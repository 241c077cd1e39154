"""Measures the service: python -m ustory_bench.service WHAT, one of six things."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ustory_bench.service import archive, burst, floods, listeners, pages, search
from ustory_bench.speed.machine import machine

ROOT = Path(__file__).parents[4]
_WHAT = ("archive", "pages", "search", "burst", "listeners", "floods")
RESULTS = ROOT / "bench" / "results" / "service.json"


def main() -> None:
    """Measure one thing, print it, and write it down beside the others."""
    parser = argparse.ArgumentParser(prog="ustory_bench.service", description=__doc__)
    parser.add_argument("what", choices=_WHAT)
    parser.add_argument(
        "--folder", type=Path, help="keep the databases here, and use them again"
    )
    parser.add_argument(
        "--check", action="store_true", help="archive: also check the databases"
    )
    given = parser.parse_args()
    console = Console()
    before = machine()
    console.print(before)
    with _place(given.folder) as folder:
        found = _measure(given.what, folder, console, checked=given.check)
    _show(console, given.what, found)
    load = round(os.getloadavg()[2], 1)
    whole = {"machine": before, "load average": load, **found}
    _keep(given.what, {**whole, "machine after": machine()})
    console.print(f"written to {RESULTS.relative_to(ROOT)}")


def _measure(
    what: str, folder: Path, console: Console, *, checked: bool
) -> dict[str, Any]:
    if what == "archive":
        return archive.measure(folder, console.print, checked=checked)
    if what == "pages":
        return pages.measure(folder, console.print)
    if what == "search":
        return search.measure(folder, console.print)
    if what == "floods":
        return floods.measure(folder, console.print)
    if what == "burst":
        return burst.measure(folder)
    return listeners.measure(folder, console.print)


@contextmanager
def _place(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="ustory-bench-") as made:
        yield Path(made)


def _show(console: Console, what: str, found: dict[str, Any]) -> None:
    tables = {name: rows for name, rows in found.items() if _is_table(rows)}
    for name, rows in tables.items():
        table = Table(*rows[0], title=f"{what}: {name}")
        for row in rows:
            table.add_row(*map(str, row.values()))
        console.print(table)
    console.print({name: one for name, one in found.items() if name not in tables})


def _is_table(rows: object) -> bool:
    return isinstance(rows, list) and bool(rows) and isinstance(rows[0], dict)


def _keep(what: str, found: dict[str, Any]) -> None:
    there = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    there[what] = found
    text = json.dumps(dict(sorted(there.items())), indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
