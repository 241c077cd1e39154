"""Links as feeds write them, made whole, and only those that lead to the web."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from ustory.sources.http.guard import SCHEMES
from ustory.sources.records.clean import one_line
from ustory.sources.records.fields import MAX_FIELD_LENGTH

_BREAKS = re.compile(r"[\t\r\n]+ *")


def resolve_link(link: str, base: str) -> str | None:
    """Return the web address that `link` means on the page `base`, None if it is none.

    >>> resolve_link("../a", "https://news.org/feeds/rss"), resolve_link(
    ...     "javascript:alert(1)", "https://news.org/")
    ('https://news.org/a', None)
    """
    # As in browsers, a line break in an address is not part of it.
    link = one_line(_BREAKS.sub("", link.strip())).replace(" ", "%20")
    if not link or len(link) > MAX_FIELD_LENGTH:
        return None
    try:
        whole = urljoin(base, link)
        parts = urlsplit(whole)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    return whole if parts.scheme in SCHEMES and host else None


def host_of(url: str) -> str:
    """Return the host of a web address in lower case, empty if there is none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def site_of(url: str) -> str:
    """Return the host without `www.`, which is how readers name a publisher.

    >>> site_of("https://www.news.org/a")
    'news.org'
    """
    return host_of(url).removeprefix("www.")
