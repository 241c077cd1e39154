"""Copies: articles whose text another article had first, as syndication makes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ustory.core.arrays import Indices
from ustory.links.article import LinkedArticle
from ustory.links.copy_scan import count_rows, mark_copies
from ustory.links.graph import Links
from ustory.window.raw_buffers import SCRATCH

COPIED = 0.75
"""Share of the shorter text, its terms weighted by how rare they are in the window,
that the longer one must have. Where one word in eight is changed, (7/8)² = 0.77 of
the pairs of words are left, which carry most weight; two reports of their own on
one event have about 0.3 in common, boilerplate of one source up to 0.7."""

SHORT = 20
"""Appearances of terms (about ten words) that must be in common: of texts below, say
titles alone, only those with the very same terms are copies."""


def find_copies(
    articles: Sequence[LinkedArticle], new: int, known: Mapping[int, int]
) -> dict[int, int]:
    """Return the original of each copy in the window, both by serial number.

    `articles` are in order of their serial numbers, the `new` last ones not looked
    at so far; `known` are the copies among the others. An article is a copy of the
    original, not of another copy, that it is most alike: so no chain of small
    changes leads from one text to quite another, and a text made of two does not
    join their groups.
    """
    if not new:
        return dict(known)
    texts = [article for article in articles if article.serial not in known]
    buffers = np.array([text.buffers for text in texts], dtype=np.int64)
    last = max((int(text.terms[-1]) for text in texts if len(text.terms)), default=-1)
    df = SCRATCH.zeros("copies: df", last + 1)
    count_rows(buffers, df)
    idf = np.log1p(len(texts) / np.maximum(np.arange(len(texts) + 1), 1))
    room = (
        SCRATCH.zeros("copies: index", last + 3),
        SCRATCH.zeros("copies: rare", last + 3),
    )
    original = np.full(len(texts), -1, dtype=np.int64)
    mark_copies(buffers, df, idf, (COPIED, SHORT), new, room, original)
    found = dict(known)
    for row in np.flatnonzero(original >= 0).tolist():
        found[texts[row].serial] = texts[original[row]].serial
    return found


def handed_on(
    copies: Mapping[int, int], links: Links, here: Indices
) -> tuple[dict[int, int], Links]:
    """Return copies and links when only the articles `here` are left.

    Where an original has left, its oldest copy is the original of the others from
    now on, and has its links: they tell of the same text. `here` are serial
    numbers, ascending.
    """
    inside = set(here.tolist())
    heirs: dict[int, int] = {}
    for copy in sorted(copies):
        if copy in inside and copies[copy] not in inside:
            heirs.setdefault(copies[copy], copy)
    left = {
        copy: heirs.get(original, original)
        for copy, original in copies.items()
        if copy in inside and heirs.get(original) != copy
    }
    return left, _renamed(links, heirs).among(here)


def _renamed(links: Links, new: Mapping[int, int]) -> Links:
    """Return links with some articles called by another's serial number."""
    if not new:
        return links
    old, other = np.array(sorted(new.items()), dtype=np.int64).T
    ends = _replaced(links.older, old, other), _replaced(links.newer, old, other)
    older, newer = np.minimum(*ends), np.maximum(*ends)
    return replace(links, older=older, newer=newer).only(np.lexsort((older, newer)))


def _replaced(numbers: Indices, old: Indices, new: Indices) -> Indices:
    place = np.minimum(np.searchsorted(old, numbers), len(old) - 1)
    return np.where(old[place] == numbers, new[place], numbers)


def with_copies(
    groups: Sequence[Sequence[str]],
    articles: Mapping[str, LinkedArticle],
    copies: Mapping[int, int],
) -> list[list[str]]:
    """Return groups of originals with the copies of each behind them, all by id."""
    behind: dict[int, list[str]] = {}
    for article in articles.values():
        if article.serial in copies:
            behind.setdefault(copies[article.serial], []).append(article.id)
    return [
        [name for id_ in group for name in (id_, *behind.get(articles[id_].serial, ()))]
        for group in groups
    ]


def independent(articles: Iterable[LinkedArticle], copies: Mapping[int, int]) -> int:
    """Return how many sources reported by themselves: copies are not counted.

    Texts of one source count once, those of unnamed sources each.
    """
    first: dict[int, LinkedArticle] = {}
    for article in articles:
        group = copies.get(article.serial, article.serial)
        known = first.setdefault(group, article)
        if article.serial < known.serial:
            first[group] = article
    named = {article.source for article in first.values() if article.source}
    return len(named) + sum(not article.source for article in first.values())
