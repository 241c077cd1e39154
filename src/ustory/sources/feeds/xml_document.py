"""XML as it comes from the web, made harmless for a parser."""

from __future__ import annotations

import re
from itertools import islice

from ustory.sources.feeds.entry import MAX_ENTRIES

_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32)))
_PROLOGUE = re.compile(r"\s*+(<\?.*?\?>|<!--.*?-->)|\s*+<!DOCTYPE\b", re.S | re.I)
_DOCTYPE_PARTS = re.compile(r"<!--(?:.*?-->|.*)|\"[^\"]*+\"|'[^']*+'|[\[\]>]", re.S)
_REFERENCE = re.compile(r"&#([xX][0-9a-fA-F]++|[0-9]++);?")
_LONG_NUMBER = 8
_ENTRY = re.compile(r"<(?:\w{1,20}:)?(?:item|entry)\b", re.I)
_TAG = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<", re.S)
# A tag whose attributes are counted; what stands in a CDATA section is no tag.
_LONG_TAG = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<(/?[a-zA-Z][\w:.-]{0,99}+)([^<>]{2000,}+)(>?)", re.S
)
_MAX_ATTRIBUTES = 100
_MAX_TAGS_OF_A_PAGE = 30_000
_ATTRIBUTE = re.compile(r"[\s\"'/]+")
# Who wrote it; feedparser looks there for addresses, in the square of the length.
_PERSON = re.compile(
    r"(<(?:\w{1,20}:)?(?:author|creator|contributor|managingEditor|webMaster|"
    r"publisher|name|email|owner)\b[^<>]{0,2000}>(?:<!\[CDATA\[)?[^<]{500})[^<]++",
    re.I,
)
# What it is about; feedparser compares each with all others, and we read none.
_TOPIC = re.compile(r"<(/?)(?:\w{1,20}:)?(?:category|subject|keywords)\b", re.I)
_BOUNDS = ((_ENTRY, MAX_ENTRIES + 1), (_TAG, 50_000), (re.compile("&"), 300_000))


def harmless(text: str) -> str:
    """Return an XML document without what could hold a parser up, or throw it.

    No entities of its own, no characters that do not exist, and no more markup than a
    feed needs; a document that is cut off is read like one that broke off.
    """
    bounded = _bounded(without_doctype(text.translate(_CONTROLS).strip()))
    bounded = _PERSON.sub(r"\1", with_few_attributes(bounded))
    bounded = _TOPIC.sub(r"<\1topic", bounded)
    return _REFERENCE.sub(lambda found: found[0] if _exists(found[1]) else "", bounded)


def bounded_page(text: str) -> str:
    """Return a page of HTML with no more markup than an article needs."""
    beyond = next(islice(_TAG.finditer(text), _MAX_TAGS_OF_A_PAGE, None), None)
    return with_few_attributes(text if beyond is None else text[: beyond.start()])


def with_few_attributes(text: str) -> str:
    """Return markup in which a tag with very many attributes has none.

    Parsers compare each attribute of a tag with all others. Long values are kept.

    >>> many = "".join(f" a{n}='{n:09d}'" for n in range(200))
    >>> with_few_attributes(f"<p{many}>text</p>")
    '<p>text</p>'
    """
    return _LONG_TAG.sub(_shortened, text)


def _shortened(tag: re.Match[str]) -> str:
    if tag[1] is None or len(_ATTRIBUTE.findall(tag[2])) <= _MAX_ATTRIBUTES:
        return tag[0]
    closed = "/" if tag[2].endswith("/") else ""
    return f"<{tag[1]}{closed}{tag[3]}"


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
