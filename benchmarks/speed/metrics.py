"""Times each metric on a million articles in a hundred thousand stories."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

import numpy as np

from ustory.evaluate.agreement import adjusted_mutual_info_of, adjusted_rand_of
from ustory.evaluate.bcubed import bcubed_of
from ustory.evaluate.contingency import contingency

ARTICLES = 1_000_000
STORIES = 100_000
STRAYED = 0.2
"""Share of the articles that were put into a story at random."""

Result = TypeVar("Result")


def timed(what: str, work: Callable[[], Result]) -> Result:
    """Print the seconds `work` takes; return what it returns."""
    start = perf_counter()
    result = work()
    print(f"{perf_counter() - start:8.3f} s  {what}")
    return result


def labels(seed: int = 0) -> tuple[list[str], list[str]]:
    """Return true and found stories whose sizes are as uneven as in the news."""
    generator = np.random.default_rng(seed)
    shares = 1 / np.arange(10, STORIES + 10) ** 0.8
    truth = generator.choice(STORIES, size=ARTICLES, p=shares / shares.sum())
    strayed = generator.random(ARTICLES) < STRAYED
    found = np.where(strayed, generator.permutation(truth), truth)
    return [f"t{n}" for n in truth.tolist()], [f"s{n}" for n in found.tolist()]


def main() -> None:
    """Time the table and each metric on it."""
    truth, found = labels()
    table = timed("contingency table", lambda: contingency(truth, found))
    print(f"{'':12}{table.total} articles, {table.true_sizes.size} true stories,")
    print(
        f"{'':12}{np.unique(table.true_sizes).size} × "
        f"{np.unique(table.found_sizes).size} different sizes"
    )
    b3 = timed("B-cubed", lambda: bcubed_of(table))
    ari = timed("adjusted Rand index", lambda: adjusted_rand_of(table))
    ami = timed("adjusted mutual information", lambda: adjusted_mutual_info_of(table))
    print(f"{'':12}B3-F1 {b3.f1:.4f}, ARI {ari:.4f}, AMI {ami:.4f}")


if __name__ == "__main__":
    main()
