"""Connections: limited in number, in all and per address, and ended if they stall."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ustory.sources.http.guard import Network
from ustory.web.errors import error_body
from ustory.web.limits import Limits

logger = logging.getLogger(__name__)

RETRY_AFTER = 10
"""Seconds after which a refused caller may come back."""
_MAX_SILENCE = 2.0
"""Seconds of silence after which the rest of a refused body is not awaited."""
_HALF_OF_IPV6 = 64


def place_of(address: str | None) -> str:
    """Return the key under which a caller is counted: its address, or IPv6 network.

    Whoever has one IPv6 address has the other 2^64 of its network too.

    >>> place_of("192.0.2.7"), place_of("2001:db8::7"), place_of("a name")
    ('192.0.2.7', '2001:db8::/64', 'unknown')
    """
    try:
        found = ip_address((address or "").partition("%")[0])
    except ValueError:
        return "unknown"
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    high = int(found) >> _HALF_OF_IPV6 << _HALF_OF_IPV6
    return f"{IPv6Address(high)}/{_HALF_OF_IPV6}"


class Connections:
    """The number of open connections, in all and by address. Mutable, one thread."""

    def __init__(self, limits: Limits, proxies: Sequence[Network] = ()) -> None:
        self.limits = limits
        self._proxies = tuple(proxies)
        self._open: Counter[str] = Counter()
        self._many = 0
        self.refused = 0
        """Connections refused since the start."""

    def enter(self, address: str | None) -> str | None:
        """Count a connection; return its place, or None if there is none."""
        place = place_of(address)
        crowded = self._open[place] >= self.limits.per_address
        if self._many >= self.limits.connections or (
            crowded and not self._is_proxy(address)
        ):
            self.refused += 1
            return None
        self._open[place] += 1
        self._many += 1
        return place

    def leave(self, place: str) -> None:
        """Stop counting a connection."""
        self._many -= 1
        self._open[place] -= 1
        if not self._open[place]:
            del self._open[place]

    def _is_proxy(self, address: str | None) -> bool:
        try:
            found = ip_address(address or "")
        except ValueError:
            return False
        return any(found in network for network in self._proxies)


class Config(uvicorn.Config):
    """uvicorn's settings, with our count of connections."""

    def __init__(self, app: Any, connections: Connections, **given: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(app, http=Connection, ws="none", **given)
        self.connections = connections


class Connection(H11Protocol):
    """A connection that is refused if there is no place, and ended if it stalls.

    uvicorn limits requests, not connections, and its only timeout ends with the first
    byte (its timers are not changed). Ours are checked by `check`, which the server
    calls every second.
    """

    config: Config
    _place: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, or answer that there is none and close."""
        super().connection_made(transport)
        now = self.loop.time()
        self._waits_since = self._heard_at = self._asked_at = now
        self._stuck_since: float | None = None
        self._closing_since: float | None = None
        self._drained = 0
        self._place = self.config.connections.enter(self.client and self.client[0])
        if self._place is None:
            self.connections.discard(self)
            transport.write(_NO_PLACE)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        super().connection_lost(exc)
        if self._place is not None:
            self.config.connections.leave(self._place)
            self._place = None

    def data_received(self, data: bytes) -> None:
        """Record when data came, and discard a refused body, up to a limit."""
        if self._place is None:
            return
        self._heard_at = self.loop.time()
        if self._is_answered() and self.conn.their_state is h11.SEND_BODY:
            self._drained += len(data)
            if self._drained > self.config.connections.limits.drained:
                self.transport.abort()
                return
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._asked_at = self.loop.time()
            self._drained = 0

    def pause_writing(self) -> None:
        """Record since when the caller reads nothing."""
        super().pause_writing()
        self._stuck_since = self.loop.time()

    def resume_writing(self) -> None:
        """Record that the caller reads again."""
        super().resume_writing()
        self._stuck_since = None

    def on_response_complete(self) -> None:
        """Record since when the next request is awaited."""
        self._waits_since = self.loop.time()
        super().on_response_complete()

    def check(self, now: float) -> None:
        """End this connection if it has stalled for too long."""
        limits = self.config.connections.limits
        if self._stuck_since is not None:
            if now - self._stuck_since > limits.write_seconds:
                self.transport.abort()
        elif self.transport.is_closing():
            self._check_closing(now, limits)
        elif self._is_answered():
            self._check_waiting(now, limits)
        elif self.cycle.more_body and self.conn.their_state is h11.SEND_BODY:
            self._check_body(now, limits)

    def _check_closing(self, now: float, limits: Limits) -> None:
        """End a closing connection whose caller does not read the rest in time.

        It would keep its place for ever.
        """
        if self._closing_since is None:
            self._closing_since = now
        elif now - self._closing_since > limits.write_seconds:
            self.transport.abort()

    def _is_answered(self) -> bool:
        return self.cycle is None or bool(self.cycle.response_complete)

    def _check_waiting(self, now: float, limits: Limits) -> None:
        """Check a connection that awaits a head, or the rest of a refused body."""
        waited = now - self._waits_since
        if self.conn.their_state is h11.SEND_BODY:
            if now - self._heard_at > _MAX_SILENCE or waited > limits.body_seconds:
                self.transport.abort()
            return
        most = limits.head_seconds
        if self.cycle is not None:
            most += limits.idle_seconds
        if waited > most:
            self._refuse_slow()

    def _check_body(self, now: float, limits: Limits) -> None:
        if self.flow.read_paused:  # the server does not read
            self._heard_at = now
            return
        quiet, all_of_it = now - self._heard_at, now - self._asked_at
        if quiet > limits.body_pause or all_of_it > limits.body_seconds:
            self._refuse_slow()

    def _refuse_slow(self) -> None:
        """Answer 408 if an answer is still possible, and close."""
        trailing, _ = self.conn.trailing_data
        begun = self.conn.their_state is h11.SEND_BODY or bool(trailing)
        if begun and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_TOO_SLOW)
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """Log nothing: callers may request upgrades as often as they like."""


def check_all(connections: Sequence[object], now: float) -> None:
    """Check every connection; to be called about once a second."""
    for each in connections:
        if isinstance(each, Connection):
            each.check(now)


def _answer(status: str, message: str, *headers: str) -> bytes:
    body = json.dumps(error_body(int(status[:3]), message)).encode()
    lines = [
        f"HTTP/1.1 {status}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "connection: close",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


_NO_PLACE = _answer(
    "503 Service Unavailable",
    f"too many connections are open; try again in {RETRY_AFTER} s",
    f"retry-after: {RETRY_AFTER}",
)
_TOO_SLOW = _answer("408 Request Timeout", "the request did not come in time")
