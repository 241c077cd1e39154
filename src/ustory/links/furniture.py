"""Page furniture: what recurs over an outlet's articles of unlike stories.

Teasers, captions, sign-ups and bylines say nothing of a story, so they weigh nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar
from zlib import crc32

import numpy as np

from ustory.core.arrays import Counts, Indices, Mask, Vector
from ustory.core.article import PreparedArticle
from ustory.core.rules import MAX_DAYS, Alike, Arrays, Ascending, Rule, Within
from ustory.links.sentence_scan import common_phrases
from ustory.window.unassigned import UnassignedArticle

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

PHRASE = 6
"""Pairs of words that two sentences have in common from which they share a phrase."""

MAX_REMEMBERED = 1 << 16
"""Sentences, and pairs of words, that are remembered: those that were seen last."""

_OUTLET = 32
"""Bits of a key behind those of its outlet."""

_REST = (1 << _OUTLET) - 1

_NONE = np.zeros(0, dtype=np.int64)

_DIGITS = b"0123456789"


def outlet_key(source: str | None) -> int:
    """Return what the keys of an outlet begin with, 0 where the outlet is unknown."""
    name = (source or "").strip().casefold()
    return (crc32(name.encode("utf-8", "replace")) >> 1 | 1) << _OUTLET if name else 0


def sentence_keys(prepared: PreparedArticle) -> Indices:
    """Return what each sentence is known by: its outlet, and its text without digits.

    It is 0 where there is no outlet, or no text.
    """
    found = np.zeros(len(prepared.sentences), dtype=np.int64)
    outlet = outlet_key(prepared.article.source)
    if outlet:
        for place, sentence in enumerate(prepared.sentences):
            text = sentence.casefold().encode("utf-8", "replace")
            words = text.translate(None, _DIGITS).strip()
            if words:
                found[place] = outlet | crc32(words)
    return found


@dataclass(frozen=True, slots=True)
class SentenceTerms:
    """The terms of an article, sentence by sentence."""

    outlet: int
    keys: Indices
    """What each sentence is known by."""
    terms: Indices
    """Ascending."""
    cells: Counts
    sentence: Indices
    count: Counts
    is_pair: Mask | None
    """Which terms are two words; None of an article that is compared no more."""

    @classmethod
    def of(cls, prepared: PreparedArticle, counted: UnassignedArticle) -> SentenceTerms:
        """Return the terms of a new article."""
        order = np.argsort(counted.terms)
        cell = np.argsort(np.repeat(np.argsort(order), counted.cells), kind="stable")
        return cls(
            outlet_key(prepared.article.source),
            sentence_keys(prepared),
            counted.terms[order],
            counted.cells[order],
            counted.sentence[cell],
            counted.count[cell],
            prepared.counts.second[order] >= 0,
        )

    def pair_keys(self, which: Mask | None) -> Indices:
        """Return what some pairs of words are known by; none without an outlet."""
        if which is None or not self.outlet:
            return _NONE
        return self.terms[which].astype(np.int64) | self.outlet

    @property
    def columns(self) -> tuple[Indices, Counts, Indices, int]:
        """What `common_phrases` reads."""
        cells, sentence = self.cells.astype(np.int64), self.sentence.astype(np.int64)
        return self.terms, cells, sentence, len(self.keys)


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
        self, keys: Indices, is_unlike: Mask, seen: Indices, day: float
    ) -> Recurring:
        """Return what is known with pairs of articles that had these keys in common.

        `seen` are the keys, ascending, of all that came on that day.
        """
        every = np.union1d(self.keys, keys)
        old, new = np.searchsorted(every, self.keys), np.searchsorted(every, keys)
        counts = np.zeros((2, len(every)))
        counts[:, old] = self.unlike, self.like
        np.add.at(counts[0], new, is_unlike)
        np.add.at(counts[1], new, ~is_unlike)
        last = np.full(len(every), day)
        last[old] = self.day
        last[is_among(every, seen)] = day
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
        old: Sequence[SentenceTerms],
        new: Sequence[SentenceTerms],
        idf: Vector,
        day: float,
    ) -> Furniture:
        """Return what is known with new articles, both in order of arrival.

        A new article is compared with the last of its outlet before it, and with the
        last that had a sentence of it, by what both say beside.
        """
        known = self.sentences.known
        texts = [*old, *new]
        votes = [
            _compared(texts[one], texts[other], known, idf)
            for one, other in _neighbours(texts, len(old), known)
        ]
        told = [vote for vote in votes if vote is not None]
        seen = np.unique(np.concatenate([_NONE, *(each.keys for each in new)]))
        used = [each.pair_keys(each.is_pair) for each in new]
        return Furniture(
            sentences=_voted(self.sentences, [(v[0], v[2]) for v in told], seen, day),
            phrases=_voted(
                self.phrases,
                [(v[1], v[2]) for v in told],
                np.unique(np.concatenate([_NONE, *used])),
                day,
            ),
        )

    @property
    def terms(self) -> Indices:
        """The numbers of the terms that are remembered."""
        return self.phrases.keys & _REST

    def renumber(self, moved: Indices) -> Furniture:
        """Return the same under another vocabulary, which keeps the order."""
        keys = self.phrases.keys
        keys = keys & ~_REST | moved[keys & _REST]
        return replace(self, phrases=replace(self.phrases, keys=keys))


def is_among(keys: Indices, known: Indices) -> Mask:
    """Return which keys are among others, which are ascending."""
    if not len(known):
        return np.zeros(len(keys), dtype=bool)
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.asarray(known[place] == keys)


def _voted(
    before: Recurring, votes: Sequence[tuple[Indices, bool]], seen: Indices, day: float
) -> Recurring:
    keys = np.concatenate([_NONE, *(keys for keys, _ in votes)])
    unlike = np.repeat(
        np.array([is_unlike for _, is_unlike in votes], dtype=bool),
        [len(keys) for keys, _ in votes],
    )
    return before.after(keys, unlike, seen, day)


def _neighbours(
    texts: Sequence[SentenceTerms], old: int, known: Indices
) -> list[tuple[int, int]]:
    """Return the pairs of articles that are compared, the newer second."""
    outlets = {text.outlet for text in texts[old:]} - {0}
    last: dict[int, int] = {}
    found: set[tuple[int, int]] = set()
    rows = [row for row, text in enumerate(texts) if text.outlet in outlets]
    for row in rows:
        outlet = texts[row].outlet
        if row >= old and outlet in last:
            found.add((last[outlet], row))
        last[outlet] = row
    keys = [texts[row].keys for row in rows]
    key = np.concatenate([_NONE, *keys])
    at = np.repeat(np.array(rows, dtype=np.int64), [len(each) for each in keys])
    unknown = (key > 0) & ~is_among(key, known)
    key, at = key[unknown], at[unknown]
    order = np.lexsort((at, key))
    key, at = key[order], at[order]
    again = (key[1:] == key[:-1]) & (at[1:] != at[:-1]) & (at[1:] >= old)
    found.update(zip(at[:-1][again].tolist(), at[1:][again].tolist(), strict=True))
    return sorted(found)


def _compared(
    one: SentenceTerms, other: SentenceTerms, known: Indices, idf: Vector
) -> tuple[Indices, Indices, bool] | None:
    """Return the sentences and phrases that two articles share, and if they are unlike.

    None where they share nothing, or say too little beside.
    """
    assert other.is_pair is not None
    shared = np.intersect1d(one.keys, other.keys)
    shared = shared[(shared > 0) & ~is_among(shared, known)]
    there, here, phrase = common_phrases(
        other.columns, one.columns, other.is_pair, PHRASE
    )
    if not len(shared) and not phrase.any():
        return None
    gone = np.union1d(known, shared)
    rest = [
        _weights(text, marked | is_among(text.keys, gone), idf)
        for text, marked in ((one, here), (other, there))
    ]
    if rest[0] is None or rest[1] is None:
        return None
    (terms, weights), (terms2, weights2) = rest[0], rest[1]
    _, first, second = np.intersect1d(terms, terms2, return_indices=True)
    near = float(weights[first] @ weights2[second])
    return shared, other.pair_keys(phrase), near < UNLIKE


def _weights(
    text: SentenceTerms, gone: Mask, idf: Vector
) -> tuple[Indices, Vector] | None:
    """Return the terms of other sentences with weights of unit length; None for few."""
    kept = ~gone[text.sentence]
    term = np.repeat(np.arange(len(text.terms)), text.cells)
    tf = np.bincount(term, text.count * kept, minlength=len(text.terms))
    if tf.sum() < LEAST_TERMS:
        return None
    there = tf > 0
    terms = text.terms[there]
    weights = (1 + np.log(tf[there])) * idf[terms]
    return terms, weights / max(float(np.linalg.norm(weights)), 1e-12)
