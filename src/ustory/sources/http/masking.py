"""Addresses and messages without what may be secret in them."""

from __future__ import annotations

import re
from hashlib import sha256
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

MASK = "***"
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s'\"<>]+", re.I)
_IPV4 = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_IPV6 = re.compile(r"(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])", re.I)
_TOKEN = re.compile(r"(?=[^/]*\d)(?=[^/]*[A-Za-z])[A-Za-z0-9_~.=%]{20,}")
_DASHED = re.compile(
    r"(?=[^/]*\d)(?=[^/]*(?:\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]))[A-Za-z0-9_~.=%-]{20,}"
)
"""A token with dashes. Headlines have them, too, but letters and digits apart."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.\w{1,5})?", re.I)
_TOKENS = (_TOKEN, _DASHED, _UUID)
_AFTER = ":;,.)]"
"""What a sentence puts after an address."""
_LONGEST = 10_000


def feed_id(url: str) -> str:
    """Return what a feed is called where its address is not told."""
    return sha256(url.encode()).hexdigest()[:16]


def masked_address(url: str) -> str:
    """Return an address without login, without values in its query, without tokens.

    >>> masked_address("https://me:pw@a.example/rss/0a1b2c3d4e5f6a7b8c9d?key=s&n=1#x")
    'https://***@a.example/rss/***?key=***&n=***'
    """
    try:
        parts = urlsplit(url)
        login, at, host = parts.netloc.rpartition("@")
        query = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=200)
    except ValueError:
        return MASK
    del login
    path = "/".join(_segment(each) for each in parts.path.split("/"))
    hidden = urlencode([(name, MASK) for name, _ in query], safe="*")
    if parts.query and not query:
        hidden = MASK
    return urlunsplit(
        (parts.scheme, f"{MASK}@{host}" if at else host, path, hidden, "")
    )


def _segment(segment: str) -> str:
    return MASK if any(kind.fullmatch(segment) for kind in _TOKENS) else segment


def masked_addresses(text: str, longest: int) -> str:
    """Return a text of up to twice `longest` characters with its addresses masked.

    Cut it to `longest` afterwards: of an address that was cut first, the end of a
    login may be missing, by which it is known.

    >>> masked_addresses("see https://me:pw@a.example/rss?key=s, please", 100)
    'see https://***@a.example/rss?key=***, please'
    """
    head = text[: 2 * longest]

    def masked(found: re.Match[str]) -> str:
        if len(head) < len(text) and found.end() == len(head):
            return MASK
        address = found[0].rstrip(_AFTER)
        return masked_address(address) + found[0][len(address) :]

    return _ADDRESS.sub(masked, head)


def masked_words(text: str) -> str:
    """Return a message without secrets of addresses, and without what names lead to.

    >>> masked_words("db.inside leads to 10.0.0.5, which is not public")
    'db.inside leads to ***, which is not public'
    """
    text = masked_addresses(text, _LONGEST)[:_LONGEST]
    return _IPV6.sub(_hidden, _IPV4.sub(MASK, text))


def _hidden(found: re.Match[str]) -> str:
    """Return the mask for an address; other things have colons, too."""
    try:
        ip_address(found[0])
    except ValueError:
        return found[0]
    return MASK
