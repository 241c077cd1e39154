"""(1,2)-gram terms, counted per sentence and never across sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ustory.core.article import TermCounts


def count_terms(lemmas: Sequence[Sequence[str]]) -> TermCounts:
    """Count the single lemmas and the adjacent pairs of each sentence.

    >>> counts = count_terms([["flood", "rescue"], ["flood"]])
    >>> counts.terms
    ('flood', 'rescue', 'flood rescue')
    >>> counts.term.tolist(), counts.sentence.tolist(), counts.count.tolist()
    ([0, 0, 1, 2], [0, 1, 0, 0], [1, 1, 1, 1])
    """
    index: dict[str, int] = {}
    flat: list[int] = []
    lengths: list[int] = []
    for words in lemmas:
        pairs = [f"{left} {right}" for left, right in zip(words, words[1:], strict=False)]
        flat += [index.setdefault(term, len(index)) for term in (*words, *pairs)]
        lengths.append(len(words) + len(pairs))
    sentence = np.repeat(np.arange(len(lemmas), dtype=np.int64), lengths)
    cells = np.array(flat, dtype=np.int64) * max(len(lemmas), 1) + sentence
    cells, count = np.unique(cells, return_counts=True)
    return TermCounts(
        terms=tuple(index),
        term=(cells // max(len(lemmas), 1)).astype(np.int32),
        sentence=(cells % max(len(lemmas), 1)).astype(np.int32),
        count=count.astype(np.int32),
    )
