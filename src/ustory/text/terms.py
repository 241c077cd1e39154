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
    distinct = dict.fromkeys(chain.from_iterable(lemmas))
    index = {word: i for i, word in enumerate(distinct)}
    word = np.fromiter(
        map(index.__getitem__, chain.from_iterable(lemmas)), dtype=np.int64
    )
    sizes = [len(words) for words in lemmas]
    sentence = np.repeat(np.arange(len(sizes)), sizes)
    adjacent = np.flatnonzero(sentence[1:] == sentence[:-1])
    base = len(index) + 1  # a term is first · base + second + 1, second -1 for none
    code = np.concatenate([word * base, word[adjacent] * base + word[adjacent + 1] + 1])
    where = np.concatenate([sentence, sentence[adjacent]])
    cells, count = np.unique(code * max(len(sizes), 1) + where, return_counts=True)
    code, where = np.divmod(cells, max(len(sizes), 1))
    starts = np.flatnonzero(np.diff(code, prepend=-1))
    first, second = np.divmod(code[starts], base)
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
