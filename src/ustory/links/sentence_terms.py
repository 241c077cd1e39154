"""The terms of a new article sentence by sentence, with or without page furniture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias
from zlib import crc32

import numpy as np

from ustory.core.arrays import Counts, Indices, Mask, Matrix
from ustory.core.article import Article, PreparedArticle
from ustory.links.sentence_scan import marked, marked_terms, put_in_order, without
from ustory.window.unassigned import UnassignedArticle

LEAD = 3
"""Sentences after the title that make the lead, furniture not counted."""

PHRASE = 6
"""Pairs of words that two sentences have in common from which they share a phrase."""

OUTLET_BITS = 32
"""Bits of a key behind those of its outlet."""

_DIGITS = b"0123456789"

_END = "\0"
"""What sentences are joined with, to be read at once; pipelines leave none in them."""


@lru_cache(maxsize=4096)
def outlet_key(source: str | None) -> int:
    """Return what the keys of an outlet begin with, 0 where the outlet is unknown."""
    name = (source or "").strip().casefold().encode("utf-8", "replace")
    known = int.from_bytes(blake2b(name, digest_size=4).digest(), "big")
    return (known >> 1 | 1) << OUTLET_BITS if name else 0


def sentence_keys(prepared: PreparedArticle) -> Indices:
    """Return what each sentence is known by: its outlet, and its text without digits.

    It is 0 where there is no outlet, or no text.
    """
    outlet, sentences = outlet_key(prepared.article.source), prepared.sentences
    if not outlet:
        return np.zeros(len(sentences), dtype=np.int64)
    texts = _without_digits(_END.join(sentences)).split(_END.encode())
    if len(texts) != len(sentences):
        texts = [_without_digits(sentence) for sentence in sentences]
    keys = np.fromiter(map(crc32, texts), dtype=np.int64, count=len(texts))
    return np.where(keys > 0, keys | outlet, 0)


def _without_digits(text: str) -> bytes:
    return text.encode("utf-8", "replace").translate(None, _DIGITS)


Columns: TypeAlias = tuple[Indices, Counts, Indices, Counts, Indices]
"""Of an article its terms, ascending, the number of sentences that hold each, these
sentences and how often they do, and what each sentence is known by."""


@dataclass(frozen=True, slots=True)
class SentenceTerms:
    """An article and its terms, by sentence."""

    prepared: PreparedArticle
    pane: int
    outlet: int
    keys: Indices
    """What each sentence is known by."""
    gone: Mask
    """Which sentences are furniture: none of their terms is here."""
    terms: Indices
    """Ascending."""
    first: Indices
    """The first word of each term, by its place in the article."""
    second: Indices
    """Its second word, -1 of terms of one word."""
    tf: Counts
    cells: Counts
    """Number of sentences that hold each term."""
    sentence: Indices
    count: Counts

    @classmethod
    def of(cls, prepared: PreparedArticle, counted: UnassignedArticle) -> SentenceTerms:
        """Return the terms of a new article."""
        order = np.argsort(counted.terms)
        cells = counted.cells, counted.sentence, counted.count
        sentence, count = put_in_order(order, *cells)
        return cls(
            prepared,
            counted.pane,
            outlet_key(prepared.article.source),
            sentence_keys(prepared),
            np.zeros(len(prepared.sentences), dtype=bool),
            counted.terms[order],
            prepared.counts.first[order],
            prepared.counts.second[order],
            counted.tf[order],
            counted.cells[order],
            sentence,
            count,
        )

    def without(
        self, sentences: Indices, phrases: Indices, numbers: Indices | None = None
    ) -> SentenceTerms:
        """Return the article without the sentences and phrases of these keys.

        Both are ascending. A pair of words alone is no phrase: it must stand among
        others, and the words of these are left out with them. `numbers` are those of
        the terms in the vocabulary, -1 where there is none, if here they have others.
        """
        if not self.outlet:
            return self
        gone = marked(self.keys, sentences)
        if numbers is None:
            pairs = marked_terms(self.terms, self.outlet, phrases)
        else:
            pairs = marked(self.outlet | numbers[self.terms].astype(np.int64), phrases)
        pairs &= self.second >= 0
        if not gone.any() and np.count_nonzero(pairs) < PHRASE:
            return self
        tf, cells, sentence, count = without(
            (self.cells, self.sentence, self.count),
            (self.first, self.second),
            gone,
            pairs,
            (len(self.keys), len(self.prepared.counts.words), PHRASE),
        )
        left = cells > 0
        return replace(
            self,
            gone=gone,
            terms=self.terms[left],
            first=self.first[left],
            second=self.second[left],
            tf=tf[left],
            cells=cells[left],
            sentence=sentence,
            count=count,
        )

    @property
    def columns(self) -> Columns:
        """What articles are compared by."""
        return self.terms, self.cells, self.sentence, self.count, self.keys

    @property
    def ends(self) -> tuple[int, int]:
        """The sentences before which title and lead end."""
        title = 1 if self.prepared.article.title.strip() else 0
        body = np.flatnonzero(~self.gone[title:])[:LEAD]
        return title, title + (int(body[-1]) + 1 if len(body) else 0)

    @property
    def vector(self) -> Matrix:
        """Mean of the sentence vectors, of unit length."""
        vectors = self.prepared.vectors
        if self.gone.any() and not self.gone.all():
            vectors = vectors[~self.gone]
        mean = vectors.mean(axis=0, dtype=np.float64)
        length = float(np.linalg.norm(mean))
        return np.asarray(mean / length if length else mean, dtype=np.float32)


def in_order(
    new: Sequence[tuple[PreparedArticle, UnassignedArticle]],
) -> list[SentenceTerms]:
    """Return new articles in order of time, then of id."""
    ordered = sorted(new, key=lambda n: (since(n[0].article), n[1].id))
    return [SentenceTerms.of(*each) for each in ordered]


def since(article: Article) -> datetime:
    """Return when an article was there for certain, or for all that is known."""
    if article.doubtful and article.fetched_at is not None:
        return max(article.published_at, article.fetched_at)
    return article.published_at
