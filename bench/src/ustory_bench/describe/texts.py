"""How long texts are, how rich in words, and how much of them others have too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta

import numpy as np

from ustory.core.arrays import Indices, Vector
from ustory.core.article import PreparedArticle
from ustory.links.article import LinkedArticle
from ustory.links.copies import find_copies
from ustory_bench.describe.likeness import weighted_quantiles

Facts = dict[str, float | None]
"""Numbers by name; None where there is none."""

POINTS = (0.1, 0.5, 0.9)
"""The quantiles of whatever has many values."""

FIRST = 100_000
"""Words from the beginning among which different ones are counted: long streams have
more in all."""

_LEAST = 6  # words of a sentence that can be a quote


def quantiles(
    name: str, values: Vector | Sequence[float], weights: Vector | None = None
) -> Facts:
    """Return the quantiles at `POINTS` under the name and the percentage of each."""
    each = np.asarray(values, dtype=np.float64)
    names = [f"{name}_{round(100 * point)}" for point in POINTS]
    if not len(each):
        return dict.fromkeys(names)
    weights = np.ones(len(each)) if weights is None else weights
    return dict(zip(names, weighted_quantiles(each, weights, POINTS), strict=True))


def lengths(articles: Sequence[PreparedArticle]) -> Facts:
    """Return how many sentences and words articles have, and how many are new there.

    Words are those that count as terms: stop words are left out.
    """
    counts = [one.counts for one in articles]
    words = [int(each.tf[each.second < 0].sum()) for each in counts]
    different = [int((each.second < 0).sum()) for each in counts]
    return {
        **quantiles("sentences", [len(one.sentences) for one in articles]),
        **quantiles("words", words),
        "new_words": float(np.sum(different) / max(np.sum(words), 1)),
    }


def words(articles: Sequence[PreparedArticle]) -> Facts:
    """Return how many of the first `FIRST` words differ, and the share that is once."""
    seen: Counter[str] = Counter()
    total = 0
    for one in articles:
        counts = one.counts
        cells = np.flatnonzero(counts.second < 0)
        for cell in cells.tolist():
            seen[counts.words[int(counts.first[cell])]] += int(counts.tf[cell])
        total += int(counts.tf[cells].sum())
        if total >= FIRST:
            break
    if total < FIRST:
        return {"different": None, "once": None}
    once = sum(1 for count in seen.values() if count == 1)
    return {"different": float(len(seen)), "once": once / len(seen)}


def copies(
    articles: Sequence[LinkedArticle], window: timedelta
) -> tuple[float, frozenset[int]]:
    """Return the share of articles that are copies, day by day as the engine does."""
    known: dict[int, int] = {}
    found: set[int] = set()
    days = np.array([one.day for one in articles])
    first = 0
    for day in np.unique(np.floor(days)).tolist():
        end = int(np.searchsorted(days, day + 1))
        low = int(np.searchsorted(days, day + 1 - window / timedelta(days=1)))
        inside = set(range(low, end))
        known = {a: b for a, b in known.items() if a in inside and b in inside}
        known = find_copies(articles[low:end], end - max(first, low), known)
        found |= known.keys()
        first = end
    return len(found) / len(articles), frozenset(found)


def quoted(
    articles: Sequence[PreparedArticle], stories: Indices, copies: Iterable[int]
) -> float | None:
    """Return the share of sentences that another article of the story has, too.

    Titles, short sentences and copies are left out.
    """
    left = set(range(len(articles))) - set(copies)
    having: dict[tuple[int, str], set[int]] = {}
    counted: list[tuple[int, str]] = []
    for number in sorted(left):
        if stories[number] < 0:
            continue
        for sentence in articles[number].sentences[1:]:
            if len(sentence.split()) >= _LEAST:
                key = int(stories[number]), " ".join(sentence.lower().split())
                having.setdefault(key, set()).add(number)
                counted.append(key)
    if not counted:
        return None
    return float(np.mean([len(having[key]) > 1 for key in counted]))
