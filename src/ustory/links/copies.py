"""Copies: articles whose text another article had first, as syndication makes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ustory.core.arrays import Counts, Indices
from ustory.links.article import LinkedArticle
from ustory.links.copy_scan import (
    COMMON,
    CopyRule,
    Texts,
    closest_original,
    count_rows,
    mark_copies,
    term_rows,
    weigh_texts,
)
from ustory.links.graph import Links
from ustory.window.raw_buffers import SCRATCH, row_of

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

    `articles` are in order of their serial numbers, and the `new` last ones have not
    been compared yet; `known` are the copies among the others. An article is a copy of
    the original that it is most like, never of another copy: so no chain of small
    changes leads from one text to quite another, and a text made of two does not
    join their groups.
    """
    if not new:
        return dict(known)
    texts = [article for article in articles if article.serial not in known]
    last = max((int(text.terms[-1]) for text in texts if len(text.terms)), default=-1)
    rule = CopyRule(COPIED, SHORT, max(COMMON, len(texts) // 8))
    weighed = _weighed(texts, SCRATCH.zeros("copies: df", last + 1), rule)
    room = (
        SCRATCH.zeros("copies: index", last + 3),
        SCRATCH.zeros("copies: rare", last + 3),
    )
    original = np.full(len(texts), -1, dtype=np.int64)
    mark_copies(weighed, rule, new, room, original)
    found = dict(known)
    for row in np.flatnonzero(original >= 0).tolist():
        found[texts[row].serial] = texts[original[row]].serial
    return found


def _weighed(articles: Sequence[LinkedArticle], df: Counts, rule: CopyRule) -> Texts:
    """Return articles as compiled loops read them; `df` is all 0 and is filled."""
    buffers = np.array([a.buffers for a in articles], dtype=np.int64).reshape(-1, 3)
    count_rows(buffers, df)
    many = len(articles)
    idf = np.log1p(many / np.maximum(np.arange(many + 1), 1))
    return Texts(buffers, df, idf, *weigh_texts(buffers, df, idf, rule))


class CopyIndex:
    """The texts of a window, to find the one that a text from outside copies.

    How rare terms are is counted in the window alone: one text more hardly changes it.
    """

    __slots__ = ("_articles", "_rows", "_rule", "_texts", "_unknown")

    def __init__(self, articles: Sequence[LinkedArticle], vocabulary: int) -> None:
        self._articles = articles  # their arrays must stay where they are
        self._unknown = vocabulary
        many = len(articles)
        self._rule = CopyRule(COPIED, SHORT, max(COMMON, (many + 1) // 8))
        df = np.zeros(vocabulary + 1, dtype=np.int64)
        texts = self._texts = _weighed(articles, df, self._rule)
        found = []
        for limit in (np.full(many, self._rule.common), texts.rare):
            first = np.zeros(vocabulary + 3, dtype=np.int64)
            found += [term_rows(texts.buffers, df, limit, many, 1, first), first]
        self._rows = found

    def original(self, terms: Indices, tf: Counts) -> int | None:
        """Return the row of the text that these terms are a copy of, if any.

        `terms` are numbers of the window, -1 for those it does not have.
        """
        known = np.where(terms < 0, self._unknown, terms)
        order = np.argsort(known, kind="stable")
        own = known[order].astype(np.int32), tf[order].astype(np.int32)
        row = closest_original(row_of(*own), self._texts, self._rule, *self._rows)
        return None if row < 0 else int(row)


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
