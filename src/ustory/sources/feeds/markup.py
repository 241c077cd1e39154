"""Bytes from the web as text, whatever they claim to be, and HTML as plain text."""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterator

from ustory.sources.records.clean import clean, one_line

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


# No part of a tag may hold a `<`, so a search that fails ends at the next one.
_TAG = re.compile(
    r"<(/?[a-zA-Z][a-zA-Z0-9:-]*+)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>"
    r"|</?[a-zA-Z!?][^<>]*+>"
)
_BLOCK = re.compile(
    r"address|article|aside|blockquote|br|d[dlt]|div|fig(caption|ure)|footer|h[1-6r]|"
    r"header|li|main|nav|[ou]l|p|pre|section|t(able|[dhr])",
    re.IGNORECASE,
)
_HIDDEN = ("script", "style", "template", "noscript", "iframe", "svg", "head", "object")
_HIDDEN_START = re.compile(rf"<(!--|(?:{'|'.join(_HIDDEN)})\b)", re.IGNORECASE)
_LITERAL = re.compile(r"<!\[CDATA\[|\]\]>")
# A run of blanks is tried from its start only, else a long one takes its square.
_LINES = re.compile(r"(?<![ \t])[ \t]*+\n\s*+")
_LONG_NUMBER = re.compile(r"&#(?:[xX][0-9a-fA-F]{9}|[0-9]{9})[0-9a-fA-F]*+;?")
_ROUNDS = 3


def plain_text(markup: str) -> str:
    r"""Return the text a reader would see, with a line for each block.

    Markup that was escaped twice is taken off too: a headline that shows tags is a
    mistake, or an attack on whoever displays it.

    >>> plain_text("<p>One <b>two</b></p><script>x()</script>&amp; three")
    'One two\n& three'
    """
    for _ in range(_ROUNDS):
        markup = _unescape(_without_tags(markup))
        if not _TAG.search(markup):
            break
    else:
        markup = _without_tags(markup)
    return clean(_LINES.sub("\n", markup))


def plain_line(markup: str) -> str:
    """Return the text of a headline or a name, on one line."""
    return one_line(plain_text(markup))


def _unescape(markup: str) -> str:
    # No character has such a number, and reading one takes the square of its digits.
    return html.unescape(_LONG_NUMBER.sub("", markup) if "&#" in markup else markup)


def _without_tags(markup: str) -> str:
    return _TAG.sub(_break, _without_hidden(_LITERAL.sub("", markup)))


def _break(tag: re.Match[str]) -> str:
    name = (tag[1] or "").removeprefix("/")
    return "\n" if _BLOCK.fullmatch(name) else ""


def _without_hidden(markup: str) -> str:
    """Take out comments, and elements whose content nobody reads."""
    kept, at = [], 0
    lower = markup.lower() if len(markup.lower()) == len(markup) else markup
    while start := _HIDDEN_START.search(markup, at):
        kept.append(markup[at : start.start()])
        at = _end_of(lower, start)
    kept.append(markup[at:])
    return "".join(kept)


def _end_of(lower: str, start: re.Match[str]) -> int:
    what = start[1].lower()
    closing = "-->" if what == "!--" else f"</{what}"
    found = lower.find(closing, start.end())
    if found < 0:
        # Never closed: what follows belongs to it, as browsers see it too.
        return len(lower)
    end = lower.find(">", found + len(closing) - 1)
    return len(lower) if end < 0 else end + 1
