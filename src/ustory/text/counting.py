"""Counts the terms of sentences in one language, each word read once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, islice, pairwise
from threading import Lock

import numpy as np

from ustory.core.arrays import Indices
from ustory.core.article import TermCounts
from ustory.text import counting_scan as scan
from ustory.text.lemmas import Lemmatiser, weakly
from ustory.text.tokenize import EDGES
from ustory.text.word_cache import EDGE, WordTokenizer, kind_by_space

MAX_LEMMAS = 15_000
"""Lemmas of one article that are counted; terms are twice as many at most."""

MAX_CHARACTERS = 250_000
"""Of one article whose words are looked up; those of later sentences are left out."""


def counted(sentences: Sequence[str]) -> list[str]:
    """Return the sentences of an article, those that are not counted empty.

    >>> counted(["One", "x" * 250_000, "Two"])[::2]
    ['One', '']
    """
    before = accumulate(map(len, sentences), initial=0)
    return [
        sentence if start < MAX_CHARACTERS else ""
        for sentence, start in zip(sentences, before, strict=False)
    ]


def count_terms(lemmas: Sequence[Sequence[str]]) -> TermCounts:
    """Count the single lemmas and the adjacent pairs of each sentence.

    Lemmas behind the first `MAX_LEMMAS` are left out.

    >>> counts = count_terms([["flood", "rescue"], ["flood"]])
    >>> counts.terms
    ('flood', 'flood rescue', 'rescue')
    >>> counts.term.tolist(), counts.sentence.tolist(), counts.count.tolist()
    ([0, 0, 1, 2], [0, 1, 0, 0], [1, 1, 1, 1])
    """
    flat = list(islice(chain.from_iterable(lemmas), MAX_LEMMAS))
    index = dict.fromkeys(flat, 0)
    index.update(zip(index, range(len(index)), strict=True))
    ends = np.fromiter(accumulate(map(len, lemmas)), np.int64, len(lemmas))
    sizes = np.diff(np.minimum(ends, len(flat)), prepend=0)
    word = np.fromiter(map(index.__getitem__, flat), np.int64, len(flat))
    sentence = np.repeat(np.arange(len(lemmas)), sizes)
    adjacent = np.flatnonzero(sentence[1:] == sentence[:-1])
    # a cell is (first word, second word + 1, sentence) as one number
    width, height = max(len(lemmas), 1), len(index) + 1
    single = word * (height * width) + sentence
    pair = single[adjacent] + (word[adjacent + 1] + 1) * width
    cells = np.concatenate([single, pair])
    cells.sort()
    new = np.flatnonzero(np.diff(cells, prepend=-1))
    count = np.diff(new, append=len(cells))
    code, where = np.divmod(cells[new], width)
    starts = np.flatnonzero(np.diff(code, prepend=-1))
    first, second = np.divmod(code[starts], height)
    cells_of = np.diff(starts, append=len(code))
    tf = np.add.reduceat(count, starts) if len(starts) else count
    return TermCounts(
        words=tuple(index),
        first=first.astype(np.int32),
        second=(second - 1).astype(np.int32),
        tf=tf.astype(np.int32),
        cells=cells_of.astype(np.int32),
        term=np.repeat(np.arange(len(starts), dtype=np.int32), cells_of),
        sentence=where.astype(np.int32),
        count=count.astype(np.int32),
    )


REMEMBERED = 600_000
"""Numbers held of words read before; when there are more, all are forgotten."""


class TermCounter:
    """What `count_terms` gives for the lemmas of each sentence, in less time.

    Words are looked up by number in compiled loops; only one that was not met
    before is read. Safe among threads.
    """

    def __init__(self, lang: str) -> None:
        self._lemmatiser = Lemmatiser(lang)
        self._known = _KnownWords(self._lemmatiser)

    def count(self, texts: Sequence[Sequence[str]]) -> list[TermCounts]:
        """Count the single lemmas and the adjacent pairs of the sentences of texts."""
        known = self._known
        if known.words.is_full(REMEMBERED):
            known = self._known = _KnownWords(self._lemmatiser)
        found = known.words.words(list(chain.from_iterable(map(counted, texts))))
        ends = accumulate(map(len, texts), initial=0)
        return [
            _counts(known.lemmas, *scan.count_words(found, bounds, MAX_LEMMAS))
            for bounds in pairwise(ends)
        ]


def _counts(
    lemmas: Sequence[str], distinct: Indices, columns: tuple[Indices, ...]
) -> TermCounts:
    first, second, tf, cells, term, sentence, count = columns
    return TermCounts(
        words=tuple(map(lemmas.__getitem__, distinct.tolist())),
        first=first,
        second=second,
        tf=tf,
        cells=cells,
        term=term,
        sentence=sentence,
        count=count,
    )


class _KnownWords:
    """Lemmas by number, and the words that were read so far. Mutable."""

    def __init__(self, lemmatiser: Lemmatiser) -> None:
        self._lemmatiser = lemmatiser
        self._numbers: dict[str, int] = {}
        self._lock = Lock()
        self.lemmas: list[str] = []
        self.words = WordTokenizer(weakly(self._entries), _kind)

    def _entries(self, chunks: list[str]) -> list[list[int]]:
        with self._lock:
            return list(map(self._entry, chunks))

    def _entry(self, chunk: str) -> list[int]:
        """Return what the compiled loop must know of a word.

        Its letters when it is in capitals, less than nothing when it is loud; how
        many lemmas it has as printed, these, and those in a shouted sentence.
        """
        lemmatiser = self._lemmatiser
        printed = self._numbered(lemmatiser.lemmas(chunk))
        if chunk == chunk.lower():
            return [0, len(printed), *printed, *printed]
        quiet = self._numbered(lemmatiser.quiet_lemmas(chunk))
        capitals = len(chunk) if chunk.isupper() else 0
        loudness = -capitals if lemmatiser.is_loud(chunk) else capitals
        return [loudness, len(printed), *printed, *quiet]

    def _numbered(self, lemmas: tuple[str, ...]) -> list[int]:
        numbers, known = self._numbers, self.lemmas
        for lemma in lemmas:
            if lemma not in numbers:
                numbers[lemma] = len(known)
                known.append(lemma)
        return [numbers[lemma] for lemma in lemmas]


def _kind(character: str) -> int:
    """Say what a character does to words, as `str.split` and `Lemmatiser` see it."""
    # an underscore is part of a word to those who look for initials
    if character in EDGES and character != "_":
        return EDGE
    return kind_by_space(character)
