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
    path = "/".join(MASK if _TOKEN.fullmatch(s) else s for s in parts.path.split("/"))
    hidden = urlencode([(name, MASK) for name, _ in query], safe="*")
    if parts.query and not query:
        hidden = MASK
    return urlunsplit(
        (parts.scheme, f"{MASK}@{host}" if at else host, path, hidden, "")
    )


def masked_words(text: str) -> str:
    """Return a message without secrets of addresses, and without what names lead to.

    >>> masked_words("db.inside leads to 10.0.0.5, which is not public")
    'db.inside leads to ***, which is not public'
    """
    text = text[:_LONGEST]
    text = _ADDRESS.sub(lambda found: masked_address(found[0]), text)
    return _IPV6.sub(_hidden, _IPV4.sub(MASK, text))


def _hidden(found: re.Match[str]) -> str:
    """Return the mask for an address; other things have colons, too."""
    try:
        ip_address(found[0])
    except ValueError:
        return found[0]
    return MASK
