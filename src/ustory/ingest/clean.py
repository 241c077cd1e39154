"""Strings as the rest of the house may rely on them: clean and in NFC."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, groupby, islice

_BREAKS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_RUN = 256
_LONG_RUN = re.compile(rf"[^\x00-\u02ff]{{{_RUN}}}")
_MARKS = 30
_INVISIBLE = "\u200b\u2060\ufeff"
_BLANK = "".join(filter(str.isspace, map(chr, range(0x3001)))) + _INVISIBLE


def clean(text: str) -> str:
    r"""Return `text` in NFC, without control characters and lone surrogates.

    Every kind of line break becomes a newline, and blank ends are cut off.

    >>> clean(" Cafe\u0301\x00 \r\n opens ")
    'Café \n opens'
    """
    # as a rule all but line breaks is printable, which is told faster
    if not text.replace("\n", "").isprintable() and _ODD.search(text):
        text = _CONTROLS.sub("", _BREAKS.sub("\n", text))
    text = text.strip(_BLANK)
    if text.isascii():
        return text
    # A run takes at least a second byte for each of its characters.
    if len(text.encode()) - len(text) >= _RUN and _LONG_RUN.search(text):
        text = _with_few_marks(text)
    return unicodedata.normalize("NFC", text)


def one_line(text: str) -> str:
    r"""Return `text` cleaned, with each run of white space made a single space.

    >>> one_line("Two\n  lines\t")
    'Two lines'
    """
    return " ".join(clean(text).split())


def _with_few_marks(text: str) -> str:
    # Normalising takes time quadratic in a run of combining marks: one hostile
    # article could hold a stream up for minutes. No script stacks this many.
    runs = groupby(text, key=lambda char: unicodedata.combining(char) != 0)
    return "".join(
        chain.from_iterable(
            islice(run, _MARKS) if marks else run for marks, run in runs
        )
    )
