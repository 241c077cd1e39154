"""What a site's robots.txt lets us read (RFC 9309)."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from urllib.parse import urlsplit

from protego import Protego

from ustory.fetch.encoding import to_text
from ustory.fetch.errors import FetchError
from ustory.fetch.http import PRODUCT, Web
from ustory.fetch.links import host_of
from ustory.fetch.politeness import Spacing

_KEEP = timedelta(hours=24)
_KEEP_UNREACHED = timedelta(hours=1)
_MOST_SITES = 5_000
_SIZE = 500_000
_AGENT = re.compile(r"\s*user[- ]?agent\s*:?\s*([^#]*)", re.IGNORECASE)
_NOBODY = "User-agent: somebody-else"


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of one site; None where nothing may be read."""

    rules: Protego | None
    until: datetime


class Robots:
    """Asks each site's robots.txt, and keeps the answer for a day. Mutable.

    A site without one may be read. A site that cannot tell, because it fails or does
    not answer, may not; it is asked again after an hour. Safe to use from several
    threads.
    """

    def __init__(
        self, web: Web, spacing: Spacing, clock: Callable[[], datetime]
    ) -> None:
        self._web = web
        self._spacing = spacing
        self._clock = clock
        self._lock = Lock()
        self._sites: OrderedDict[str, _Rules] = OrderedDict()

    def allows(self, url: str) -> bool:
        """Return whether we may read this address."""
        rules = self._of(url).rules
        return rules is not None and rules.can_fetch(url, PRODUCT)

    def delay(self, url: str) -> float | None:
        """Return the pause in seconds that the site asks for between requests."""
        rules = self._of(url).rules
        return None if rules is None else rules.crawl_delay(PRODUCT)

    def _of(self, url: str) -> _Rules:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        now = self._clock()
        with self._lock:
            known = self._sites.get(site)
        if known is not None and now < known.until:
            return known
        found = self._ask(site, now)
        with self._lock:
            self._sites[site] = found
            self._sites.move_to_end(site)
            while len(self._sites) > _MOST_SITES:
                self._sites.popitem(last=False)
        return found

    def _ask(self, site: str, now: datetime) -> _Rules:
        try:
            with self._spacing.turn(host_of(site)):
                answer = self._web.get(f"{site}/robots.txt", size=_SIZE)
        except FetchError:
            return _Rules(None, now + _KEEP_UNREACHED)
        if answer.status == 200:
            text = to_text(answer.body, answer.headers.get("content-type", ""))
            return _Rules(parse_robots(text), now + _KEEP)
        if 400 <= answer.status < 500 and answer.status != 429:
            return _Rules(Protego.parse(""), now + _KEEP)
        return _Rules(None, now + _KEEP_UNREACHED)


def parse_robots(text: str) -> Protego:
    """Return the rules in a robots.txt that can concern us.

    Groups for others are put under one name: a file that names thousands of robots
    before thousands of rules would otherwise fill the memory.
    """
    return Protego.parse("\n".join(map(_relevant, text.splitlines())))


def _relevant(line: str) -> str:
    agent = _AGENT.match(line)
    if agent is None:
        return line
    name = agent[1].strip().lower()
    return line if name == "*" or name.startswith(PRODUCT) else _NOBODY
