"""Ids for articles that bring none: from the address, else from the content."""

from __future__ import annotations

import re
from hashlib import blake2b
from urllib.parse import urlsplit

_TRACKING = re.compile(
    r"(utm_\w*|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_cid|mc_eid|cmpid)(=|$)", re.I
)
_PORTS = (None, 80, 443)
# Fragments that name a place of the page every article has, or who sent the reader.
_ANCHOR = re.compile(
    r"top|start|main|content|main-content|comments?|comment-\d+|respond|share|"
    r"disqus_thread|more-\d+|:~:.*|"
    r"(?:utm_\w*|at_\w*|xtor|ref|rss|source|from|cmp|cmpid|intcid|ftag|echobox)(?:=.*)?",
    re.I | re.S,
)


def canonical_url(url: str) -> str | None:
    """Return the form that all spellings of an article's web address share.

    Scheme, letter case of the host, default port, tracking parameters, their order,
    a closing slash and fragments such as `#top` and `#comments` make no difference.
    Any other fragment does: pages that hold many entries tell them apart by it. None
    when `url` is not a web address, or is that of a whole site and so names no article.

    >>> canonical_url("http://News.org:80/a/?utm_source=x&id=7#top")
    'https://news.org/a?id=7'
    >>> canonical_url("https://news.org/day#item2")
    'https://news.org/day#item2'
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    query = sorted(p for p in parts.query.split("&") if p and not _TRACKING.match(p))
    route = "" if _ANCHOR.fullmatch(parts.fragment) else parts.fragment
    rest = parts.path.rstrip("/")
    rest += f"?{'&'.join(query)}" if query else ""
    rest += f"#{route}" if route else ""
    if not rest:
        return None
    return f"https://{host}{'' if port in _PORTS else f':{port}'}{rest}"


def page_of(address: str) -> str | None:
    """Return a canonical address without its fragment, None if it has none.

    Releases before fragments counted have stored it so, except those that begin with
    `/` or `!`.

    >>> page_of("https://news.org/day#item2"), page_of("https://news.org/day")
    ('https://news.org/day', None)
    """
    page, _, fragment = address.partition("#")
    return page if fragment and not fragment.startswith(("/", "!")) else None


def derived_id(url: str | None, source: str | None, title: str, text: str) -> str:
    """Return an id that the same article gets again wherever it is read.

    It is `u:` and a hash of the canonical address where there is one, else `c:` and
    a hash of source, title and text: feeds change their own ids, and edit dates.
    """
    address = canonical_url(url) if url else None
    if address is not None:
        return f"u:{_digest(address)}"
    content = "\0".join((source or "", title, text))
    return f"c:{_digest(content)}"


def names_address(identity: str, url: str | None) -> bool:
    """Say whether an id was derived from an address: whoever has it has the address.

    >>> names_address(derived_id("https://news.org/a", None, "", ""), "http://news.org/a/")
    True
    """
    address = canonical_url(url) if url else None
    return address is not None and identity == f"u:{_digest(address)}"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8"), digest_size=8).hexdigest()
