"""Unicode normal forms in time that is linear in the text, whatever the text is."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from typing import Literal

MAX_MARKS = 30
"""Combining marks in a row that are kept: no script stacks this many (UAX #15)."""

_HIDDEN = "\u0f73\u0f75\u0f81\uff9e\uff9f"
"""Characters that are not marks, but decompose into marks."""

_FIRST_MARK = 0x300
_PIECE = 1 << 16
"""Characters that are read for marks in one go: about 6 ms."""

# Matched from the start of a run only; otherwise each character starts another scan.
_LONG_RUN = re.compile(rf"(?<![^\x00-\u02ff])[^\x00-\u02ff]{{{MAX_MARKS + 1}}}")


def normalized(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Return `text` in a normal form, with at most `MAX_MARKS` marks in a row.

    The library sorts the marks of a run in quadratic time, and blocks all other
    threads meanwhile: half a megabyte of marks would take minutes.

    >>> normalized("NFC", "Cafe\u0301")
    'Café'
    """
    if text.isascii():
        return text
    # a mark takes at least a second byte
    long = len(text.encode("utf-8", "surrogatepass")) - len(text) > MAX_MARKS
    if long and _LONG_RUN.search(text):
        text = _few_marks(text)
    return unicodedata.normalize(form, text)


def _few_marks(text: str) -> str:
    """Return `text` without the marks that are too many, read a piece at a time.

    Other threads get their turn between two pieces. A run may go on in the next piece,
    so each is read together with the end of what is kept of the one before it.
    """
    kept, end = [], ""
    for at in range(0, len(text), _PIECE):
        piece = _many_marks().sub(r"\1", end + text[at : at + _PIECE])
        kept.append(piece[len(end) :])
        end = piece[-MAX_MARKS:]
    return "".join(kept)


@cache
def _many_marks() -> re.Pattern[str]:
    """Return the pattern of more marks in a row than are kept."""
    marks = [code for code in range(_FIRST_MARK, sys.maxunicode) if _is_mark(code)]
    starts = [code for code in marks if not _is_mark(code - 1)]
    ends = [code for code in marks if not _is_mark(code + 1)]
    ranges = "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))
    return re.compile(f"([{ranges}]{{{MAX_MARKS}}})[{ranges}]++")


def _is_mark(code: int) -> bool:
    return unicodedata.combining(chr(code)) != 0 or chr(code) in _HIDDEN
