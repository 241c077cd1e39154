"""Strings as the rest of the house may rely on them: clean and in NFC."""

from __future__ import annotations

import re

from ustory.core.unicode import normalized

_BREAKS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
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
    return normalized("NFC", text.strip(_BLANK))


def one_line(text: str) -> str:
    r"""Return `text` cleaned, with each run of white space made a single space.

    >>> one_line("Two\n  lines\t")
    'Two lines'
    """
    return " ".join(clean(text).split())
