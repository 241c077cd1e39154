"""The top N of a list of scored terms, the same on every machine and run."""

from __future__ import annotations

import numpy as np

from ustory.core.arrays import Indices, Vector
from ustory.window.vocabulary import Vocabulary


def top_terms(
    terms: Indices, weights: Vector, keywords: int, vocabulary: Vocabulary
) -> Indices:
    """Return the positions of the N heaviest terms, heaviest first.

    Weights are compared as float32: sums of the same numbers in another order
    are then ties, and ties go to the term that comes first in the alphabet.
    """
    rank = weights.astype(np.float32)
    if len(rank) > keywords:
        least = np.partition(rank, len(rank) - keywords)[len(rank) - keywords]
        places = np.flatnonzero(rank >= least)
    else:
        places = np.arange(len(rank))
    places = places[np.argsort(-rank[places], kind="stable")]
    order = rank[places].tolist()
    if len(set(order)) < len(order):
        names = [vocabulary.term(int(terms[i])) for i in places.tolist()]
        heaviest = sorted(range(len(order)), key=lambda i: (-order[i], names[i]))
        places = places[heaviest]
    return places[:keywords]
