"""What a site's robots.txt lets us read (RFC 9309)."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from threading import Lock
from urllib.parse import urlsplit

from protego import Protego

from ustory.sources.feeds.encoding import to_text
from ustory.sources.feeds.entry_links import host_of
from ustory.sources.http.client import PRODUCT, Web
from ustory.sources.http.errors import FetchError
from ustory.sources.http.politeness import LONGEST_TURN, Spacing

_KEEP = timedelta(hours=24)
_KEEP_UNREACHED = timedelta(hours=1)
_MOST_SITES = 5_000
_SIZE = 500_000
_AGENT = re.compile(r"\s*user[- ]?agent\s*:?\s*([^#]*)", re.IGNORECASE)
_RULE = re.compile(r"\s*(allow|di[sal]+ow|disallaw|crawl[- ]delay)\b", re.IGNORECASE)
_SITE_WIDE = re.compile(r"\s*(#|site-?maps?\b|host\b)", re.IGNORECASE)
_OURS = re.compile(rf"\*$|{PRODUCT}(?![\w-])")
_NO_RULE = "Disallow:"
_LONG_LINE = 2_000
MOST_RULES = 5_000
"""Rules of a site that are kept; the first ones, where it has more."""

_MOST_KEPT = 200_000
"""Rules of all sites together."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of one site; None where nothing may be read."""

    rules: Protego | None
    until: datetime
    lines: int = 1
    """How many there are: what it costs to keep them."""


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
        self._lines = 0

    def allows(self, url: str, seconds: float = LONGEST_TURN) -> bool:
        """Return whether we may read this address; asking may take `seconds`."""
        rules = self._of(url, seconds).rules
        return rules is not None and rules.can_fetch(url, PRODUCT)

    def delay(self, url: str, seconds: float = LONGEST_TURN) -> float | None:
        """Return the seconds that the site wants between requests; as `allows`."""
        rules = self._of(url, seconds).rules
        return None if rules is None else rules.crawl_delay(PRODUCT)

    def _of(self, url: str, seconds: float) -> _Rules:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        now = self._clock()
        with self._lock:
            known = self._sites.get(site)
        if known is not None and now < known.until:
            return known
        found = self._ask(site, now, seconds)
        with self._lock:
            self._keep(site, found)
        return found

    def _keep(self, site: str, found: _Rules) -> None:
        before = self._sites.pop(site, None)
        self._lines += found.lines - (0 if before is None else before.lines)
        self._sites[site] = found
        while len(self._sites) > _MOST_SITES or self._lines > _MOST_KEPT:
            _, gone = self._sites.popitem(last=False)
            self._lines -= gone.lines

    def _ask(self, site: str, now: datetime, seconds: float) -> _Rules:
        try:
            with self._spacing.turn(host_of(site), seconds=seconds):
                answer = self._web.get(
                    f"{site}/robots.txt", size=_SIZE, seconds=seconds
                )
        except FetchError:
            return _Rules(None, now + _KEEP_UNREACHED)
        if answer.status == 200:
            text = to_text(answer.body, answer.headers.get("content-type", ""))
            most = 1 + min(text.count("\n"), MOST_RULES)
            return _Rules(parse_robots(text), now + _KEEP, most)
        if 400 <= answer.status < 500 and answer.status != 429:
            return _Rules(Protego.parse(""), now + _KEEP)
        return _Rules(None, now + _KEEP_UNREACHED)


def parse_robots(text: str) -> Protego:
    """Return the rules in a robots.txt that concern us: for `*`, or for our very name.

    Groups for others are left out, and of ours what is beyond the limits: a file that
    names thousands of robots before thousands of rules would fill the memory.
    """
    return Protego.parse("\n".join(islice(_concerning(text), MOST_RULES)))


def _concerning(text: str) -> Iterator[str]:
    """Yield the lines of the groups for us, in their order."""
    names: set[str] = set()
    open_for_names = True
    for line in text.splitlines():
        agent = _AGENT.match(line)
        if len(line) > _LONG_LINE or not line.strip() or _SITE_WIDE.match(line):
            continue
        if agent is None:
            open_for_names = False
            if names:
                yield line if _RULE.match(line) else _NO_RULE
            continue
        if not open_for_names:
            names, open_for_names = set(), True
        ours = _OURS.match(agent[1].strip().lower())
        if ours is not None and ours[0] not in names:
            names.add(ours[0])
            yield f"User-agent: {ours[0]}"
