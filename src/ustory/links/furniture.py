"""Page furniture: what recurs over an outlet's articles of unlike stories.

Teasers, captions, sign-ups and bylines say nothing of a story, so they weigh nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.rules import MAX_DAYS, Alike, Arrays, Ascending, Rule, Within
from ustory.links.article import LinkedArticle
from ustory.links.sentence_scan import compared, mark_seen, marked
from ustory.links.sentence_terms import (
    OUTLET_BITS,
    PHRASE,
    Columns,
    SentenceTerms,
    outlet_key,
)

UNLIKE = 0.05
"""Word cosine of what two articles say beside the sentences in which they share
something, below which they report two stories."""

SEEN = 2
"""Pairs of unlike articles, one after the other, that must share it."""

SHARE = 0.25
"""Least share of unlike pairs among all that share it: an outlet's articles of one
story have sentences in common, too."""

LEAST_TERMS = 10
"""Appearances of terms that both must have beside, or the pair says nothing."""

MAX_CROSSINGS = 1 << 18
"""Pairs of sentences with a pair of words in common that are looked at in two articles:
where there are more, only whole sentences are compared."""

MAX_COMPARED = 8
"""Articles that a new one is compared with at most, those that came last."""

MAX_REMEMBERED = 1 << 16
"""Sentences, and pairs of words, that are remembered: those that were seen last."""

_REST = (1 << OUTLET_BITS) - 1

_NONE = np.zeros(0, dtype=np.int64)

_TABLE = 1 << 16
"""Places of a table that tells most keys apart at once, by their last bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    """What outlets use again, and how alike the articles are that have it."""

    keys: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Ascending: an outlet, and what is used."""
    unlike: Vector = field(default_factory=lambda: np.zeros(0))
    """Pairs of articles that had it and hardly anything else in common."""
    like: Vector = field(default_factory=lambda: np.zeros(0))
    """Pairs that had."""
    day: Vector = field(default_factory=lambda: np.zeros(0))
    """When it was last seen."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int64", "keys"),
        Arrays("float64", "unlike", "like", "day"),
        Alike("keys", "unlike", "like", "day"),
        Within(1, 2**63 - 1, "keys"),
        Within(0, 1e15, "unlike", "like"),
        Within(-MAX_DAYS, MAX_DAYS, "day"),
        Ascending("keys"),
    )

    @property
    def known(self) -> Indices:
        """The keys of what is furniture, ascending."""
        pairs = self.unlike + self.like
        return self.keys[(self.unlike >= SEEN) & (self.unlike >= SHARE * pairs)]

    def after(
        self,
        keys: Indices,
        is_unlike: Mask,
        day: float,
        seen: Callable[[Indices], Mask],
    ) -> Recurring:
        """Return what is known with pairs of articles that had these keys in common.

        `seen` returns which of some keys, ascending, came on that day.
        """
        every = np.union1d(self.keys, keys)
        old, new = np.searchsorted(every, self.keys), np.searchsorted(every, keys)
        counts = np.zeros((2, len(every)))
        counts[:, old] = self.unlike, self.like
        np.add.at(counts[0], new, is_unlike)
        np.add.at(counts[1], new, ~is_unlike)
        last = np.full(len(every), day)
        last[old] = self.day
        last[seen(every)] = day
        kept = np.sort(np.lexsort((every, -last))[:MAX_REMEMBERED])
        unlike, like = counts[:, kept]
        return Recurring(keys=every[kept], unlike=unlike, like=like, day=last[kept])


@dataclass(frozen=True, slots=True, kw_only=True)
class Furniture:
    """What is known of the pages of outlets."""

    sentences: Recurring = field(default_factory=Recurring)
    phrases: Recurring = field(default_factory=Recurring)
    """Pairs of words of phrases, by their numbers in the vocabulary."""
    RULES: ClassVar[tuple[Rule, ...]] = ()

    def after(
        self,
        old: Sequence[LinkedArticle],
        new: Sequence[SentenceTerms],
        idf: Vector,
        day: float,
    ) -> Furniture:
        """Return what is known with new articles, both in order of arrival.

        A new article is compared with the last of its outlet before it, and with the
        last that had a sentence of it, by what both say beside.
        """
        known = self.sentences.known
        limits = PHRASE, MAX_CROSSINGS, LEAST_TERMS
        sentences, phrases, unlike = [_NONE], [_NONE], []
        for one, other in _neighbours(old, new, known):
            if one < len(old) and not len(old[one].keys):
                continue  # of a state that is older than furniture
            columns = (
                _columns(old[one]) if one < len(old) else new[one - len(old)].columns
            )
            text = new[other - len(old)]
            shared, pairs, cosine = compared(
                columns, text.columns, text.second, known, idf, limits
            )
            if cosine >= 0:
                sentences.append(shared)
                phrases.append(text.outlet | pairs.astype(np.int64))
                unlike.append(cosine < UNLIKE)
        return Furniture(
            sentences=_voted(
                self.sentences, sentences, unlike, day, partial(_seen_sentences, new)
            ),
            phrases=_voted(
                self.phrases, phrases, unlike, day, partial(_seen_phrases, new)
            ),
        )

    def removed_from(
        self, new: Sequence[SentenceTerms], numbers: Indices | None = None
    ) -> list[SentenceTerms]:
        """Return articles without what is known to be furniture.

        `numbers` is as for `SentenceTerms.without`.
        """
        known = self.sentences.known, self.phrases.known
        return [text.without(*known, numbers) for text in new]

    @property
    def terms(self) -> Indices:
        """The numbers of the terms that are remembered."""
        return self.phrases.keys & _REST

    def renumber(self, moved: Indices) -> Furniture:
        """Return the same under another vocabulary, which keeps the order.

        Pairs of words that it does not have are forgotten.
        """
        number = moved[self.terms].astype(np.int64)
        phrases, here = self.phrases, number >= 0
        kept = Recurring(
            keys=(phrases.keys & ~_REST | number)[here],
            unlike=phrases.unlike[here],
            like=phrases.like[here],
            day=phrases.day[here],
        )
        return replace(self, phrases=kept)


def _columns(article: LinkedArticle) -> Columns:
    """Return what an article of the window is compared by."""
    cells, sentence = article.cells.astype(np.int32), article.sentence.astype(np.int32)
    count = article.count.astype(np.int32)
    # copies: arrays of a state that was read may not be written, which compiled
    # functions tell apart
    return article.terms.copy(), cells, sentence, count, article.keys.copy()


def _seen_sentences(new: Sequence[SentenceTerms], keys: Indices) -> Mask:
    """Return which keys are of sentences of new articles."""
    used = np.unique(np.concatenate([_NONE, *(text.keys for text in new)]))
    return np.asarray(marked(keys, used))


def _seen_phrases(new: Sequence[SentenceTerms], keys: Indices) -> Mask:
    """Return which keys are of pairs of words of new articles."""
    found = np.zeros(len(keys), dtype=bool)
    for text in new:
        mark_seen(text.terms, text.second, text.outlet, keys, found)
    return found


def _voted(
    before: Recurring,
    keys: Sequence[Indices],
    unlike: Sequence[bool],
    day: float,
    seen: Callable[[Indices], Mask],
) -> Recurring:
    """Return what is known with pairs of articles; the first of `keys` is of none."""
    votes = np.repeat(np.array(unlike, dtype=bool), [len(each) for each in keys[1:]])
    return before.after(np.concatenate(keys), votes, day, seen)


def _neighbours(
    old: Sequence[LinkedArticle], new: Sequence[SentenceTerms], known: Indices
) -> list[tuple[int, int]]:
    """Return the pairs of articles that are compared, by place, the newer second."""
    outlets = [outlet_key(article.source) for article in old]
    outlets += [text.outlet for text in new]
    before: dict[int, set[int]] = {}
    last = {outlet: row for row, outlet in enumerate(outlets[: len(old)])}
    for row in range(len(old), len(outlets)):
        outlet = outlets[row]
        if outlet:
            before[row] = {last[outlet]} if outlet in last else set()
            last[outlet] = row
    for one, other in _with_same_sentence(old, new, known):
        before[other].add(one)
    return [
        (one, row)
        for row, ones in before.items()
        for one in sorted(ones)[-MAX_COMPARED:]
    ]


def _with_same_sentence(
    old: Sequence[LinkedArticle], new: Sequence[SentenceTerms], known: Indices
) -> Iterator[tuple[int, int]]:
    """Yield new articles behind the last before them that had a sentence of theirs."""
    keys = [*(article.keys for article in old), *(text.keys for text in new)]
    key = np.concatenate([_NONE, *keys])
    at = np.repeat(np.arange(len(keys)), [len(each) for each in keys])
    table = np.zeros(_TABLE, dtype=bool)
    table[key[at >= len(old)] % _TABLE] = True
    maybe = table[key % _TABLE] & (key > 0)
    key, at = key[maybe], at[maybe]
    unknown = ~marked(key, known)
    key, at = key[unknown], at[unknown]
    order = np.lexsort((at, key))
    key, at = key[order], at[order]
    again = (key[1:] == key[:-1]) & (at[1:] != at[:-1]) & (at[1:] >= len(old))
    yield from zip(at[:-1][again].tolist(), at[1:][again].tolist(), strict=True)
