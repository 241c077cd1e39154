"""HTML as plain text, in time that grows with its length and no faster."""

from __future__ import annotations

import html
import re

from ustory.sources.records.clean import clean, one_line

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
