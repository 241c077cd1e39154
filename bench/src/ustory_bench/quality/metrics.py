"""Times the scores of a million articles: python -m ustory_bench.quality.metrics."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from ustory.scores.agreement import (
    adjusted_mutual_info_of,
    adjusted_rand_of,
    bcubed_of,
    contingency,
    score,
)
from ustory_bench.speed.machine import machine

ROOT = Path(__file__).parents[4]
RESULTS = ROOT / "bench" / "results" / "metrics.json"
ARTICLES = 1_000_000
STORIES = 100_000
STRAYED = 0.2
"""Share of the articles that are found in another story than their own."""
ROUNDS = 3

Numbers: TypeAlias = NDArray[np.int64]


def at_random(generator: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Return stories that say nothing of each other: many, of a few sizes."""
    true, found = generator.integers(STORIES, size=(2, ARTICLES))
    return true, found


def zipf(generator: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Return stories as uneven as words, most articles found where they belong."""
    shares = 1 / np.arange(1, STORIES + 1)
    true = generator.choice(STORIES, size=ARTICLES, p=shares / shares.sum())
    strayed = generator.random(ARTICLES) < STRAYED
    return true, np.where(strayed, generator.permutation(true), true)


def all_sizes(generator: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Return as many different sizes as there can be, which is the hardest for AMI."""
    sizes = np.arange(1, int((2 * ARTICLES) ** 0.5))
    true = np.repeat(sizes, sizes)
    strayed = generator.random(true.size) < STRAYED
    return true, np.where(strayed, generator.permutation(true), true)


LABELLINGS: Mapping[str, Callable[[np.random.Generator], tuple[Numbers, Numbers]]] = {
    "random": at_random,
    "zipf": zipf,
    "every size once": all_sizes,
}


def measure(true: Numbers, found: Numbers) -> dict[str, Any]:
    """Return the seconds of each metric and of all together, and the scores."""
    truth = [f"t{number}" for number in true.tolist()]
    stories: list[str | None] = [f"s{number}" for number in found.tolist()]
    table = contingency(truth, stories)
    work: Mapping[str, Callable[[], object]] = {
        "table": lambda: contingency(truth, stories),
        "B3": lambda: bcubed_of(table),
        "ARI": lambda: adjusted_rand_of(table),
        "AMI": lambda: adjusted_mutual_info_of(table),
        "all": lambda: score(truth, stories, "singleton"),
    }
    seconds = {name: round(_seconds(each), 3) for name, each in work.items()}
    result = score(truth, stories, "singleton")
    return {
        "articles": table.total,
        "true stories": int(table.true_sizes.size),
        "found stories": int(table.found_sizes.size),
        "different sizes": [
            int(np.unique(sizes).size)
            for sizes in (table.true_sizes, table.found_sizes)
        ],
        "seconds": seconds,
        "scores": {
            "B3-F1": round(result.bcubed_f1, 4),
            "AMI": round(result.ami, 4),
            "ARI": round(result.ari, 4),
        },
    }


def main() -> None:
    """Measure each labelling, print the table, and write the results."""
    console = Console()
    measured = {}
    for name, labels in LABELLINGS.items():
        with console.status(f"scoring a million articles: {name}"):
            measured[name] = measure(*labels(np.random.default_rng(0)))
    _show(console, measured)
    whole = {"machine": machine(), "rounds": ROUNDS, "labellings": measured}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    console.print(f"written to {RESULTS.relative_to(ROOT)}")


def _seconds(work: Callable[[], object]) -> float:
    """Return the median of some rounds, so that a busy machine shows less."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times)


def _show(console: Console, measured: Mapping[str, Mapping[str, Any]]) -> None:
    first = next(iter(measured.values()))
    table = Table("labelling", "true", "found", *(f"{n} s" for n in first["seconds"]))
    for name, each in measured.items():
        counts = (f"{each[side]:,}" for side in ("true stories", "found stories"))
        table.add_row(name, *counts, *(f"{s:.3f}" for s in each["seconds"].values()))
    console.print(table)


if __name__ == "__main__":
    main()
