"""Manners: a pause between two requests to a host, and longer ones after failures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from hashlib import blake2b
from threading import Lock
from typing import Final

from ustory.sources.http.errors import FetchError
from ustory.sources.records.dates import parse_date

LONGEST_WAIT: Final = timedelta(days=7)
"""The longest that a host can send us away for."""

LONGEST_TURN: Final = 120.0
"""Seconds that we wait for our turn at a host."""

_LONGEST_PAUSE = 60.0
_MOST_HOSTS = 10_000


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
            if host not in self._hosts and len(self._hosts) >= _MOST_HOSTS:
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
