"""How much dearer lists, stories and searches are in an archive that is large."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from sqlalchemy import Connection

from ustory.store import Store
from ustory.store.upkeep import check
from ustory_bench.service.databases import addresses
from ustory_bench.service.filling import Say, fill
from ustory_bench.service.questions import VARIANTS, Question, questions
from ustory_bench.service.synthetic import Synthetic


class Cost(NamedTuple):
    """Milliseconds by the clock, and of work."""

    clock: float
    work: float


SIZES = (10_000, 1_000_000)
ROUNDS = 7


def measure(
    folder: Path, say: Say, sizes: tuple[int, ...] = SIZES, *, checked: bool = False
) -> dict[str, Any]:
    """Fill databases of both sizes, of each kind, and return what questions cost.

    The databases stay in the folder, and are not filled again the next time.
    """
    results: dict[str, Any] = {"articles": list(sizes)}
    made = [Synthetic(size) for size in sizes]
    with addresses(folder, made) as places:
        for kind, urls in places.items():
            stores = [Store.open(url) for url in urls]
            for store, each in zip(stores, made, strict=True):
                fill(store, each, say)
                if checked:
                    say(f"checking {each.articles:,} articles in {kind}")
                    assert check(store) == []
            say(f"asking {kind}")
            results[kind] = compare(stores, made)
            for store in stores:
                store.close()
    return results


def compare(
    stores: Sequence[Store], made: Sequence[Synthetic], rounds: int = ROUNDS
) -> list[dict[str, Any]]:
    """Return what each question costs in the first archive and in the second."""
    every = list(questions())
    costs: dict[str, dict[int, list[Cost]]] = {}
    for turn in range(rounds + 1):
        for question in every:
            for place, store in enumerate(stores):
                cost = _ask(question, store, made[place])
                if turn:  # the first warms up caches and compiled statements
                    here = costs.setdefault(question.name, {0: [], 1: []})
                    here[place].append(cost)
    return [_row(question, costs[question.name]) for question in every]


def _ask(question: Question, store: Store, made: Synthetic) -> Cost:
    """Return the milliseconds of an answer, the mean of its variants."""
    with store.read() as connection:
        start, used = time.perf_counter(), _used(connection)
        for variant in range(VARIANTS):
            question.ask(connection, made, variant)
        spent, work = time.perf_counter() - start, _used(connection) - used
    return Cost(spent * 1000 / VARIANTS, work * 1000 / VARIANTS)


def _used(connection: Connection) -> float:
    """Return the seconds that processors worked for us, here and in the server."""
    here = time.thread_time()
    if connection.dialect.name == "sqlite":
        return here
    driver: Any = connection.connection.driver_connection
    # the kernel counts nanoseconds, first in the line
    line = Path(f"/proc/{driver.info.backend_pid}/schedstat").read_text(
        encoding="ascii"
    )
    return here + int(line.split()[0]) / 1e9


def _row(question: Question, costs: Mapping[int, Sequence[Cost]]) -> dict[str, Any]:
    small, large = ([cost.work for cost in costs[place]] for place in (0, 1))
    # of each pair, asked one after the other: a busy machine is busy for both
    ratio = median(b / a for a, b in zip(small, large, strict=True))
    return {
        "group": question.group,
        "question": question.name,
        "small_ms": round(median(small), 3),
        "large_ms": round(median(large), 3),
        "ratio": round(ratio, 2),
        "least": round(min(large) / min(small), 2),
        "clock": round(
            median(b.clock / a.clock for a, b in zip(costs[0], costs[1], strict=True)),
            2,
        ),
        "most": question.most,
        "holds": ratio <= question.most,
    }
