"""Connections: so many, so many of one address, and none that keeps us waiting."""

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
"""Seconds after which a caller who found no place is to come back."""
_QUIET = 2.0
"""Seconds of silence after which nothing more of a refused body is waited for."""
_HALF_OF_IPV6 = 64


def place_of(address: str | None) -> str:
    """Return what a caller is counted under: its address, in IPv6 its network.

    Whoever has one IPv6 address has the 2^64 others of its network, too.

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
    """How many connections are open, in all and by address. Mutable, for one thread."""

    def __init__(self, limits: Limits, proxies: Sequence[Network] = ()) -> None:
        self.limits = limits
        self._proxies = tuple(proxies)
        self._open: Counter[str] = Counter()
        self._many = 0
        self.refused = 0
        """Connections that found no place since the start."""

    def enter(self, address: str | None) -> str | None:
        """Count a connection; return its place, or None where there is none."""
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
        """Count a connection no more."""
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
    """uvicorn's settings, with our count of connections beside them."""

    def __init__(self, app: Any, connections: Connections, **given: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(app, http=Connection, ws="none", **given)
        self.connections = connections


class Connection(H11Protocol):
    """A connection that is refused where there is no place, and ended when it stalls.

    uvicorn has a limit of requests, not of connections, and its only timeout ends with
    the first byte that comes (its timers are left as they are). Ours are looked at by
    `check`, which the server calls every second.
    """

    config: Config
    _place: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, or say that there is none and close."""
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
        """Note when something came, and read a refused body away, up to a limit."""
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
        """Note since when the caller takes nothing."""
        super().pause_writing()
        self._stuck_since = self.loop.time()

    def resume_writing(self) -> None:
        """Note that the caller takes again."""
        super().resume_writing()
        self._stuck_since = None

    def on_response_complete(self) -> None:
        """Wait for the next request from now on."""
        self._waits_since = self.loop.time()
        super().on_response_complete()

    def check(self, now: float) -> None:
        """End this connection if it has kept us waiting for too long."""
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
        """End a connection that closes as soon as the caller takes what is left.

        A caller who takes nothing would keep its place for ever.
        """
        if self._closing_since is None:
            self._closing_since = now
        elif now - self._closing_since > limits.write_seconds:
            self.transport.abort()

    def _is_answered(self) -> bool:
        return self.cycle is None or bool(self.cycle.response_complete)

    def _check_waiting(self, now: float, limits: Limits) -> None:
        """Check a connection that owes us a head, or the rest of a refused body."""
        waited = now - self._waits_since
        if self.conn.their_state is h11.SEND_BODY:
            if now - self._heard_at > _QUIET or waited > limits.body_seconds:
                self.transport.abort()
            return
        most = limits.head_seconds
        if self.cycle is not None:
            most += limits.idle_seconds
        if waited > most:
            self._refuse_slow()

    def _check_body(self, now: float, limits: Limits) -> None:
        if self.flow.read_paused:  # it is we who do not read
            self._heard_at = now
            return
        quiet, all_of_it = now - self._heard_at, now - self._asked_at
        if quiet > limits.body_pause or all_of_it > limits.body_seconds:
            self._refuse_slow()

    def _refuse_slow(self) -> None:
        """Answer 408 where an answer can still be given, and close."""
        trailing, _ = self.conn.trailing_data
        begun = self.conn.their_state is h11.SEND_BODY or bool(trailing)
        if begun and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_TOO_SLOW)
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: anybody may ask for an upgrade as often as they like."""


def check_all(connections: Sequence[object], now: float) -> None:
    """Look at every connection; call it about once a second."""
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
