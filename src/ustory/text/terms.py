"""(1,2)-gram terms, counted per sentence and never across sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from ustory.core.article import TermCounts


def count_terms(lemmas: Sequence[Sequence[str]]) -> TermCounts:
    """Count the single lemmas and the adjacent pairs of each sentence.

    >>> counts = count_terms([["flood", "rescue"], ["flood"]])
    >>> counts.terms
    ('flood', 'flood rescue', 'rescue')
    >>> counts.term.tolist(), counts.sentence.tolist(), counts.count.tolist()
    ([0, 0, 1, 2], [0, 1, 0, 0], [1, 1, 1, 1])
    """
    flat = list(chain.from_iterable(lemmas))
    index = dict.fromkeys(flat, 0)
    index.update(zip(index, range(len(index)), strict=True))
    sizes = np.fromiter(map(len, lemmas), np.int64, len(lemmas))
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
