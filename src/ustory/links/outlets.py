"""How much one outlet counts in a group: like a few articles, however many it has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ustory.core.arrays import Indices, Vector
from ustory.links.article import LinkedArticle

FULL = 8
"""Articles of an outlet that count in full; more of them count as these together."""


def outlet_name(source: str | None) -> str:
    """Return what an outlet is known by, however it writes its name."""
    return (source or "").strip().casefold()


def outlets(articles: Sequence[LinkedArticle]) -> Indices:
    """Return the number of each article's outlet; one without a name is its own."""
    number: dict[str, int] = {}
    found = []
    for place, article in enumerate(articles):
        name = outlet_name(article.source)
        found.append(number.setdefault(name, place) if name else place)
    return np.array(found, dtype=np.int64)


def shares(group: Indices, outlet: Indices) -> Vector:
    """Return how much each article counts in its group, 1 at most.

    Of an outlet with more than `FULL` articles in a group, all count alike, and
    together as much as so many. `group` is -1 of an article that has none.

    >>> shares(np.zeros(17, dtype=int), np.array([7] * 16 + [8])).tolist()[-2:]
    [0.5, 1.0]
    """
    if not len(group):
        return np.zeros(0)
    key = (group + 1) * (int(outlet.max()) + 1) + outlet
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray(np.minimum(FULL / count, 1.0)[place])
