"""Sentences of a line by sentencex, in pieces: linear in time, whatever is in it."""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from sentencex import segment

from ustory.core.compiled import guarded
from ustory.core.errors import PackageError
from ustory.text.sentences import cut

PIECE = 8_000
"""Characters given to sentencex at once: its time is the square of their number where
all are opening quotation marks, and nothing else of the process runs meanwhile."""
_UNSURE = 2_000
"""At the end of a piece, where a quotation may be open that ends behind it."""
_LEAST = PIECE // 4
"""Characters by which each piece goes on: no text may be read many times over."""

_END = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])")
_log = logging.getLogger(__name__)


def segments(lang: str, line: str) -> Iterator[str]:
    """Yield the sentences of a line, with the blanks behind them.

    They are those of the whole line, unless it has a sentence, or a quotation, of
    thousands of characters.
    """
    start = 0
    while len(line) - start > PIECE:
        piece = line[start : start + PIECE]
        found = _segment(lang, piece)
        end = _sure_end(piece, found)
        yield from _until(found, end)
        start += end
    if start < len(line):
        yield from _segment(lang, line[start:])


def _sure_end(piece: str, found: Sequence[str]) -> int:
    """Return where to cut a piece: where a sentence ends, else at a space."""
    ends = [end for end in accumulate(map(len, found)) if _LEAST <= end < len(piece)]
    sure = [end for end in ends if end <= PIECE - _UNSURE]
    if ends:
        return max(sure or ends)
    long = piece[sum(map(len, found[:-1])) :]
    # a sentence this long is cut anyway: here where it would be cut as a whole
    return len(piece) - len(deque(cut(long), maxlen=1).pop())


def _until(found: Sequence[str], end: int) -> Iterator[str]:
    """Yield the sentences up to a place; one that goes on behind it is cut."""
    start = 0
    for sentence in found:
        if start >= end:
            return
        yield sentence[: end - start]
        start += len(sentence)


def _segment(lang: str, piece: str) -> list[str]:
    """Return the sentences of a piece; where sentencex fails, by punctuation alone."""
    try:
        with guarded("sentencex"):
            found = list(segment(lang, piece))
    except PackageError as error:
        _log.warning("a text is split at its punctuation only: %s", error)
        return by_punctuation(piece)
    return found if sum(map(len, found)) == len(piece) else by_punctuation(piece)


def by_punctuation(text: str) -> list[str]:
    """Return the parts of a text that end with a stop and a blank, or a wide stop.

    >>> by_punctuation("It rained. Why? 雨。晴。")
    ['It rained. ', 'Why? ', '雨。', '晴。']
    """
    cuts = [0, *(found.end() for found in _END.finditer(text)), len(text)]
    parts = [text[a:b] for a, b in pairwise(cuts)]
    return [part for part in parts if part]
