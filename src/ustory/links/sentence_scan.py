"""Compiled: which sentences of two articles have a phrase in common."""

from __future__ import annotations

import numpy as np

from ustory.core.kernels import njit

# Arrays of compiled functions are typed by those who call them.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, C901


@njit(cache=True, nogil=True)
def common_phrases(one, other, is_pair, least):
    """Return the sentences of both, and terms of one, that are of common phrases.

    Of each article: its terms, ascending, the cells of each, their sentences, and how
    many sentences there are. Two sentences have a phrase in common when they have at
    least `least` pairs of words in common; `is_pair` marks the terms of one that are.
    """
    terms, cells, sentences, many = one
    terms2, cells2, sentences2, many2 = other
    both = np.zeros((many, many2), dtype=np.int32)
    phrase = np.zeros(len(terms), dtype=np.bool_)
    first, second = np.zeros(many, np.bool_), np.zeros(many2, np.bool_)
    for again in range(2):
        place, start, start2 = 0, 0, 0
        for term in range(len(terms)):
            while place < len(terms2) and terms2[place] < terms[term]:
                start2 += cells2[place]
                place += 1
            if place < len(terms2) and terms2[place] == terms[term] and is_pair[term]:
                for at in range(start, start + cells[term]):
                    for at2 in range(start2, start2 + cells2[place]):
                        here, there = sentences[at], sentences2[at2]
                        if not again:
                            both[here, there] += 1
                        elif both[here, there] >= least:
                            phrase[term] = True
                            first[here] = second[there] = True
            start += cells[term]
    return first, second, phrase
