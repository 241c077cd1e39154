"""XML as it comes from the web, made harmless for a parser."""

from __future__ import annotations

import re
from itertools import islice

from ustory.fetch.entry import MOST_ENTRIES

_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32)))
_PROLOGUE = re.compile(r"\s*+(<\?.*?\?>|<!--.*?-->)|\s*+<!DOCTYPE\b", re.S | re.I)
_DOCTYPE_PARTS = re.compile(r"<!--(?:.*?-->|.*)|\"[^\"]*+\"|'[^']*+'|[\[\]>]", re.S)
_REFERENCE = re.compile(r"&#([xX][0-9a-fA-F]++|[0-9]++);?")
_LONG_NUMBER = 8
_ENTRY = re.compile(r"<(?:\w{1,20}:)?(?:item|entry)\b", re.I)
_TAG = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<", re.S)
_BOUNDS = ((_ENTRY, MOST_ENTRIES + 1), (_TAG, 50_000), (re.compile("&"), 300_000))


def harmless(text: str) -> str:
    """Return an XML document without what could hold a parser up, or throw it.

    No entities of its own, no characters that do not exist, and no more markup than a
    feed needs; a document that is cut off is read like one that broke off.
    """
    bounded = _bounded(without_doctype(text.translate(_CONTROLS).strip()))
    return _REFERENCE.sub(lambda found: found[0] if _exists(found[1]) else "", bounded)


def without_doctype(text: str) -> str:
    """Return an XML document without its DOCTYPE, and so without entities of its own.

    Entities that are made of entities can grow without bound; feeds need none.

    >>> without_doctype('<!DOCTYPE r [<!ENTITY a "<b>">]><r>&a;</r>')
    '<r>&a;</r>'
    """
    kept, at = [], 0
    while part := _PROLOGUE.match(text, at):
        at = part.end()
        if part[1]:
            kept.append(part[1])
        else:
            at = _doctype_end(text, at)
    return "".join((*kept, text[at:]))


def _doctype_end(text: str, at: int) -> int:
    inside = False
    for part in _DOCTYPE_PARTS.finditer(text, at):
        if part[0] in "[]":
            inside = part[0] == "["
        elif part[0] == ">" and not inside:
            return part.end()
    return len(text)


def _bounded(text: str) -> str:
    # feedparser takes long over each piece of markup.
    for pieces, most in _BOUNDS:
        beyond = next(islice(pieces.finditer(text), most, None), None)
        text = text if beyond is None else text[: beyond.start()]
    return text


def _exists(number: str) -> bool:
    if len(number) > _LONG_NUMBER:
        return False
    hexadecimal = number[0] in "xX"
    code = int(number[1:], 16) if hexadecimal else int(number)
    return code in (9, 10, 13) or 32 <= code < 0xD800 or 0xE000 <= code <= 0x10FFFF
