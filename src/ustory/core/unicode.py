"""Unicode normal forms in time that is linear in the text, whatever the text is."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, groupby, islice
from typing import Literal

MOST_MARKS = 30
"""Combining marks in a row that are kept: no script stacks this many (UAX #15)."""

_RUN = 256
_LONG_RUN = re.compile(rf"[^\x00-\u02ff]{{{_RUN}}}")
_HIDDEN = "\u0f73\u0f75\u0f81\uff9e\uff9f"
"""Signs that are no marks themselves, and become marks when they are taken apart."""


def normalized(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Return `text` in a normal form; of a long run of marks only the first stay.

    The library sorts the marks of a run in time that is quadratic in its length, and
    no other thread gets a turn meanwhile: half a megabyte of marks would take minutes.

    >>> normalized("NFC", "Cafe\u0301")
    'Café'
    """
    if text.isascii():
        return text
    # a run takes at least a second byte for each of its characters
    long = len(text) >= _RUN and (
        len(text.encode("utf-8", "surrogatepass")) - len(text) >= _RUN
    )
    if long and _LONG_RUN.search(text):
        text = _with_few_marks(text)
    return unicodedata.normalize(form, text)


def _with_few_marks(text: str) -> str:
    runs = groupby(
        text, key=lambda char: unicodedata.combining(char) != 0 or char in _HIDDEN
    )
    return "".join(
        chain.from_iterable(
            islice(run, MOST_MARKS) if marks else run for marks, run in runs
        )
    )
