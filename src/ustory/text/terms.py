"""(1,2)-gram terms, counted per sentence and never across sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, islice

import numpy as np

from ustory.core.article import TermCounts

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
