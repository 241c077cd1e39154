"""Counts the terms of sentences in one language, each word read once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from threading import Lock

from ustory.core.arrays import Indices
from ustory.core.article import TermCounts
from ustory.text import counting_scan as scan
from ustory.text.lemmas import Lemmatiser, weakly
from ustory.text.terms import MAX_LEMMAS, counted
from ustory.text.tokenize import EDGES
from ustory.text.word_cache import EDGE, WordTokenizer, kind_by_space

REMEMBERED = 600_000
"""Numbers held of words read before; when there are more, all are forgotten."""


class TermCounter:
    """What `count_terms` gives for the lemmas of each sentence, in less time.

    Words are looked up by number in compiled loops; only one that was not met
    before is read. Safe among threads.
    """

    def __init__(self, lang: str) -> None:
        self._lemmatiser = Lemmatiser(lang)
        self._known = _Known(self._lemmatiser)

    def count(self, texts: Sequence[Sequence[str]]) -> list[TermCounts]:
        """Count the single lemmas and the adjacent pairs of the sentences of texts."""
        known = self._known
        if known.words.is_full(REMEMBERED):
            known = self._known = _Known(self._lemmatiser)
        found = known.words.words(list(chain.from_iterable(map(counted, texts))))
        words = found.word, found.trimmed, found.ends, found.letter_ends
        entries = found.tokens, found.token_start
        ends = accumulate(map(len, texts), initial=0)
        return [
            _counts(known.lemmas, *scan.count_words(words, entries, bounds, MAX_LEMMAS))
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


class _Known:
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
