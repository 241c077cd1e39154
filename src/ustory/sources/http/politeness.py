"""Politeness: a pause between requests to a host, and what its robots.txt allows."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import islice
from threading import Lock
from typing import Final
from urllib.parse import urlsplit

from protego import Protego

from ustory.sources.feeds.entry import host_of
from ustory.sources.feeds.markup import to_text
from ustory.sources.http.client import PRODUCT, Web
from ustory.sources.http.errors import FetchError
from ustory.sources.records.dates import parse_date

LONGEST_WAIT: Final = timedelta(days=7)
"""The longest that a host can send us away for."""

LONGEST_TURN: Final = 120.0
"""Seconds that we wait for our turn at a host."""

_LONGEST_PAUSE = 60.0
_MAX_HOSTS = 10_000


class Spacing:
    """Lets one request at a time go to each host, with a pause in between. Mutable.

    Safe to use from several threads. `sleep` may be the `wait` of an event, which
    ends all pauses at once.
    """

    def __init__(
        self,
        gap: float = 1.0,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._gap = gap
        self._monotonic = monotonic
        self._sleep = sleep
        self._lock = Lock()
        self._hosts: dict[str, _Host] = {}

    @contextmanager
    def turn(
        self, host: str, gap: float | None = None, seconds: float = LONGEST_TURN
    ) -> Iterator[None]:
        """Wait for our turn at `host`, which lasts until the block is left.

        `gap` is the pause in seconds that the host asks for; ours is kept at least.
        FetchError says that it did not come within `seconds`.
        """
        pause = min(max(self._gap, gap or 0.0), _LONGEST_PAUSE)
        state = self._host(host)
        started = self._monotonic()
        if not state.lock.acquire(timeout=max(seconds, 0.0)):
            raise _busy(host)
        try:
            now = self._monotonic()
            wait = state.last + pause - now
            if wait > max(started + seconds - now, 0.0):
                raise _busy(host)
            if wait > 0:
                self._sleep(wait)
            try:
                yield
            finally:
                state.last = self._monotonic()
        finally:
            state.lock.release()

    def _host(self, host: str) -> _Host:
        with self._lock:
            if host not in self._hosts and len(self._hosts) >= _MAX_HOSTS:
                self._forget()
            return self._hosts.setdefault(host, _Host())

    def _forget(self) -> None:
        before = self._monotonic() - _LONGEST_PAUSE
        idle = [
            host
            for host, state in self._hosts.items()
            if state.last < before and not state.lock.locked()
        ]
        for host in idle:
            del self._hosts[host]


def _busy(host: str) -> FetchError:
    return FetchError("timeout", f"{host}: our turn did not come in time")


class _Host:
    """When the last request to a host ended, and the lock of its turn. Mutable."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.last = float("-inf")


def spread(every: timedelta, *, seed: int, key: str, number: int) -> timedelta:
    """Return a regular wait, up to a tenth shorter or longer, for the same reason."""
    return every * (0.9 + 0.2 * draw(seed, key, number))


def draw(seed: int, key: str, number: int) -> float:
    """Return a number in [0, 1) that depends on the arguments and nothing else."""
    digest = blake2b(
        f"{seed}\0{key}\0{number}".encode("utf-8", "replace"), digest_size=7
    )
    return int.from_bytes(digest.digest()) / 2**56


def retry_after(value: str | None, now: datetime) -> timedelta | None:
    """Return how long a Retry-After header asks us to wait, None if it says nothing.

    >>> from datetime import UTC
    >>> str(retry_after("120", datetime(2024, 3, 7, tzinfo=UTC)))
    '0:02:00'
    """
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        wait = timedelta(seconds=int(text[:9])) if len(text) < 10 else LONGEST_WAIT
    else:
        try:
            wait = parse_date(text) - now
        except ValueError:
            return None
    return min(max(wait, timedelta(0)), LONGEST_WAIT)


_KEEP = timedelta(hours=24)
_KEEP_UNREACHED = timedelta(hours=1)
_MAX_SITES = 5_000
_SIZE = 500_000
_AGENT = re.compile(r"\s*user[- ]?agent\s*:?\s*([^#]*)", re.IGNORECASE)
_RULE = re.compile(r"\s*(allow|di[sal]+ow|disallaw|crawl[- ]delay)\b", re.IGNORECASE)
_SITE_WIDE = re.compile(r"\s*(#|site-?maps?\b|host\b)", re.IGNORECASE)
_OURS = re.compile(rf"\*$|{PRODUCT}(?![\w-])")
_NO_RULE = "Disallow:"
_LONG_LINE = 2_000
MAX_RULES = 5_000
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
        while len(self._sites) > _MAX_SITES or self._lines > _MOST_KEPT:
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
            most = 1 + min(text.count("\n"), MAX_RULES)
            return _Rules(parse_robots(text), now + _KEEP, most)
        if 400 <= answer.status < 500 and answer.status != 429:
            return _Rules(Protego.parse(""), now + _KEEP)
        return _Rules(None, now + _KEEP_UNREACHED)


def parse_robots(text: str) -> Protego:
    """Return the rules in a robots.txt that concern us: for `*`, or for our very name.

    Groups for others are left out, and of ours what is beyond the limits: a file that
    names thousands of robots before thousands of rules would fill the memory.
    """
    return Protego.parse("\n".join(islice(_concerning(text), MAX_RULES)))


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
