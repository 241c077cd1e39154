"""Makes a large archive: python -m ustory_bench.service.fill DATABASE --articles N."""

from __future__ import annotations

import argparse
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from ustory.store import Store
from ustory.store.upkeep import check
from ustory_bench.service.filling import Say, Step, fill
from ustory_bench.service.synthetic import LIVE, Synthetic

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TimeElapsedColumn(),
)


def main() -> None:
    """Fill a database, show how far it is, and say how long it took."""
    parser = argparse.ArgumentParser(
        prog="ustory_bench.service.fill", description=__doc__
    )
    parser.add_argument("database", help="a new file, or postgresql://…")
    parser.add_argument("--articles", type=int, default=10_000)
    parser.add_argument("--live", type=int, default=LIVE, help="stories that are live")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--check", action="store_true", help="hold it against `ustory db check`"
    )
    given = parser.parse_args()
    made = Synthetic(given.articles, given.live, given.seed)
    console, began = Console(), time.perf_counter()
    store = Store.open(given.database)
    with _progress(console) as (say, step):
        fill(store, made, say, step)
    spent = time.perf_counter() - began
    console.print(f"{made.articles:,} articles in {store.url} after {spent:.0f} s")
    if given.check:
        for line in check(store) or ["nothing is wrong"]:
            console.print(line)
    store.close()


@contextmanager
def _progress(console: Console) -> Iterator[tuple[Say, Step]]:
    with Progress(*_COLUMNS, console=console) as bar:
        task = bar.add_task("articles", total=None)

        def say(line: str) -> None:
            bar.update(task, description=line)
            bar.log(line)

        def step(done: int, whole: int) -> None:
            bar.update(task, completed=done, total=whole)

        yield say, step


if __name__ == "__main__":
    main()
