"""Who brought an article: what an origin may say, and in whose name."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from ustory.sources.feeds.entry import host_of, site_of
from ustory.sources.http.masking import masked_address

API = "api"
"""The origin of articles that were sent, before keys had names."""


def is_feed(origin: str) -> bool:
    """Say whether an origin is a feed that was fetched from the web.

    Files, topics and keys of the API are the operator's own: they are trusted to
    name their sources. A feed is anybody's.
    """
    return origin.startswith(("http://", "https://"))


def speaks_for(origin: str, address: str | None) -> bool:
    """Say whether a feed is of the site that an address is of, or of one above it.

    A site may speak for those below its name; one below, which may be a stranger's
    on a shared host, not for the site above.

    >>> speaks_for("https://www.news.org/feed", "https://live.news.org/a")
    True
    >>> speaks_for("https://someone.news.org/feed", "https://news.org/a")
    False
    """
    site, of = site_of(origin), site_of(address or "")
    return bool(site) and is_feed(origin) and (of == site or of.endswith(f".{site}"))


def may_edit(origin: str, owner: str, address: str | None) -> bool:
    """Say whether an origin may change an article that `owner` brought.

    It may where it brought the article itself, or where it is a feed of the very
    site that the article is at. What was sent before keys had names is any key's.
    """
    if owner == API and origin.startswith(f"{API}:"):
        return True
    return origin == owner or speaks_for(origin, address)


def is_guest(origin: str, address: str | None) -> bool:
    """Say whether an origin is a feed of another site than an address is of.

    >>> is_guest("https://aggregator.example/feed", "https://news.org/a")
    True
    """
    return is_feed(origin) and bool(address) and not speaks_for(origin, address)


class Sites:
    """The sites of many feeds, to be asked about many addresses. Immutable."""

    def __init__(self, feeds: Iterable[str]) -> None:
        self._sites = frozenset(map(site_of, filter(is_feed, feeds))) - {""}

    def speak_for(self, address: str | None) -> bool:
        """Say whether any of the feeds speaks for an address (`speaks_for`)."""
        labels = site_of(address or "").split(".")
        above = (".".join(labels[start:]) for start in range(len(labels)))
        return any(site in self._sites for site in above)


def is_claimed(source: str | None, origin: str) -> bool:
    """Say whether a source is only what a feed of another site says it is.

    >>> is_claimed("news.org", "https://aggregator.example/feed")
    True
    """
    if source is None or not is_feed(origin):
        return False
    return not speaks_for(origin, f"https://{source}/")


def reporter(source: str | None, origin: str) -> str | None:
    """Return who counts as the source where independent sources are counted.

    It is the site that was fetched where another site's name is only claimed: else
    one feed could be as many sources as it likes.
    """
    return site_of(origin) if is_claimed(source, origin) else source


def shown(origin: str) -> str:
    """Return an origin without what may be secret in an address.

    >>> shown("https://me:secret@news.org/0a1b2c3d4e5f6a7b8c9d/feed?token=1")
    'https://news.org/***/feed'
    """
    if not is_feed(origin):
        return origin
    parts = urlsplit(origin)
    return masked_address(f"{parts.scheme}://{host_of(origin)}{parts.path}")
