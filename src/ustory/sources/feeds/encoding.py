"""Bytes from the web as text, whatever they claim to be."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"<\0?\0", "utf-16-le"),
    (b"\0<\0?", "utf-16-be"),
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_DECLARED = re.compile(
    rb"<\?xml[^>]{0,200}encoding\s*=\s*[\"']([\w.:-]{1,40})|"
    rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})",
    re.IGNORECASE,
)
_HEAD = 2048
_LONG_HEADER = 1_000
# Codecs that are no character sets: slow on purpose, or able to hide markup.
_ODD = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "utf-7"}
_LAST = "cp1252"


def to_text(body: bytes, content_type: str = "") -> str:
    """Return `body` as text: by its byte order mark, else as it says, else by trying.

    What the answer's header says goes before what the document says of itself. Bytes
    that fit nothing become replacement characters, so this never fails.
    """
    for name in _candidates(body, content_type):
        try:
            return body.decode(name).removeprefix("\ufeff")
        except (UnicodeError, LookupError, ValueError):
            continue
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    # What is UTF-8 but for a broken byte or two has far more that is whole.
    whole = len(text) - len(text.encode("ascii", "ignore")) - broken
    return text if whole > broken else body.decode(_LAST, "replace")


def _candidates(body: bytes, content_type: str) -> Iterator[str]:
    for mark, name in _MARKS:
        if body.startswith(mark):
            yield name
    header = _CHARSET.search(content_type[:_LONG_HEADER])
    if header:
        yield from _usable(header[1])
    declared = _DECLARED.search(body[:_HEAD])
    if declared:
        yield from _usable((declared[1] or declared[2]).decode("ascii", "ignore"))
    yield "utf-8"


def _usable(name: str) -> Iterator[str]:
    try:
        found = codecs.lookup(name).name.replace("_", "-")
    except (LookupError, ValueError):
        return
    if found not in _ODD:
        # Pages that claim Latin-1 or ASCII are as a rule written in Windows-1252.
        yield {"iso8859-1": _LAST, "ascii": "utf-8"}.get(found, found)
