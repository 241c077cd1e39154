"""Queries of one and two words, drawn by how many articles they find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise

import numpy as np

from ustory.store.search_words import words_of
from ustory_bench.service.rows import CHUNK
from ustory_bench.service.synthetic import Ints, Synthetic
from ustory_bench.service.vocabulary import WORDS, word

Postings = Mapping[str, Ints]
"""The numbers of the articles that have each word, in order."""

BANDS: Mapping[str, tuple[int, int]] = {
    "no hit": (0, 0),
    "1 to 100": (1, 100),
    "100 to 1,000": (100, 1_000),
    "1,000 to 10,000": (1_000, 10_000),
}
COMMON = "more than 10,000"
_EACH = 25
_CANDIDATES = 60
"""Words that are looked up for each tenfold of hits."""
_TRIES = 4_000
_PAIRED = 300
"""Words that pairs are made of, as many common ones as rare ones."""
_NOWHERE = "zzyx"
"""No word of a made-up archive begins like this."""


@dataclass(frozen=True, slots=True)
class DrawnQuery:
    """A query, and how many articles it finds."""

    text: str
    band: str
    hits: int


def draw_queries(
    postings: Postings,
    bands: Mapping[str, tuple[int, int]] = BANDS,
    each: int = _EACH,
    seed: int = 0,
) -> list[DrawnQuery]:
    """Return queries of each band, every other one of two words.

    A band that has too few words, as in a small archive, has fewer queries.
    """
    rng = np.random.default_rng(seed)
    found: list[DrawnQuery] = []
    for band, (low, high) in bands.items():
        pairs = list(islice(_pairs(postings, low, high, rng), each // 2))
        words = list(islice(_words(postings, low, high, rng), each - len(pairs)))
        found += [DrawnQuery(text, band, hits) for text, hits in (*words, *pairs)]
    return found


def _words(
    postings: Postings, low: int, high: int, rng: np.random.Generator
) -> Iterator[tuple[str, int]]:
    if not high:
        yield from ((f"{_NOWHERE}{number}", 0) for number in rng.permutation(1_000))
    fit = sorted(name for name, at in postings.items() if low <= len(at) <= high)
    for place in rng.permutation(len(fit)).tolist():
        yield fit[place], len(postings[fit[place]])


def _pairs(
    postings: Postings, low: int, high: int, rng: np.random.Generator
) -> Iterator[tuple[str, int]]:
    """Yield pairs whose words are in so many articles together.

    Those come first whose words would be, if one said nothing about the other.
    """
    ordered = sorted(postings, key=lambda name: (-len(postings[name]), name))
    places = np.unique(np.geomspace(1, len(ordered), _PAIRED).astype(np.int64)) - 1
    names = [ordered[place] for place in places.tolist()]
    whole = 1 + max((int(at[-1]) for at in postings.values() if len(at)), default=0)
    pairs = list(combinations(range(len(names)), 2))
    counts = np.array([len(postings[name]) for name in names], dtype=np.float64)
    one, two = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    expected = counts[one] * counts[two] / whole
    middle = np.sqrt(max(low, 0.01) * max(high, 0.1))
    off = np.abs(np.log(np.maximum(expected, 1e-9) / middle))
    order = np.lexsort((rng.random(len(pairs)), np.round(off)))
    for place in order[:_TRIES].tolist():
        first, second = names[one[place]], names[two[place]]
        hits = len(np.intersect1d(postings[first], postings[second]))
        if low <= hits <= high:
            yield f"{first} {second}", hits


def postings_of(texts: Iterable[str]) -> dict[str, Ints]:
    """Return the postings of some texts, by their place; for few of them."""
    found: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        for name in set(words_of(text)):
            found.setdefault(name, []).append(place)
    return {name: np.array(at, dtype=np.int64) for name, at in found.items()}


def made_postings(made: Synthetic, ranks: Sequence[int]) -> dict[str, Ints]:
    """Return the postings of some words of a made-up archive, by their rank.

    The archive is drawn again and never asked: no index can be wrong about it.
    """
    place = np.full(WORDS + 1, -1, dtype=np.int64)
    place[list(ranks)] = np.arange(len(ranks))
    parts: list[list[Ints]] = [[] for _ in ranks]
    for first in range(0, made.articles, CHUNK):
        count = min(CHUNK, made.articles - first)
        words = place[made.ranks(first, count)]
        words[::2, -1] = -1  # every other article ends with the word of its era
        row, column = np.nonzero(words >= 0)
        keys = np.unique(words[row, column] * count + row)
        cut = np.searchsorted(keys // count, np.arange(len(ranks) + 1))
        for number, (start, end) in enumerate(pairwise(cut.tolist())):
            parts[number].append(first + keys[start:end] % count)
    return {word(rank): np.concatenate(parts[n]) for n, rank in enumerate(ranks)}


def candidate_ranks(seed: int = 0) -> list[int]:
    """Return the ranks of words of every frequency."""
    rng = np.random.default_rng(seed)
    found: set[int] = set()
    edges = np.geomspace(4, WORDS, 6).astype(np.int64)
    for low, high in pairwise(edges.tolist()):
        most = min(_CANDIDATES, high - low)
        picked = rng.choice(np.arange(low, high), most, replace=False)
        found.update(picked.tolist())
    return sorted(found)


def common_bands(articles: int) -> dict[str, tuple[int, int]]:
    """Return the band of words that are in many articles, half of them at most."""
    return {COMMON: (10_001, articles // 2)}
