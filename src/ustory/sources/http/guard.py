"""Which addresses may be reached: public ones, and those that were allowed."""

from __future__ import annotations

import socket
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as LateError
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
from threading import Condition, Thread
from time import monotonic
from typing import TypeAlias
from urllib.parse import urlsplit

from ustory.core.errors import ConfigError
from ustory.sources.http.errors import FetchError

Lookup: TypeAlias = Callable[[str, int], Sequence[str]]

MAX_LOOKUPS = 1_024
"""Lookups that may be under way; the system gives up a dead name after half a minute.

Each takes a descriptor, so there are fewer where the process may open few files.
"""

LONGEST = 5.0
"""Seconds that we wait for a name."""

_MOST_KNOWN = 10_000


class BusyError(OSError):
    """So many names are being looked up that this one was not."""


class Names:
    """Looks names up, each in a thread of its own. Mutable, for any thread.

    `getaddrinfo` cannot be given a deadline or ended. So whoever waits for it goes
    away when the time is over, and a name that is still being looked up is not asked
    for a second time.
    """

    def __init__(
        self, lookup: Lookup, *, most: int | None = None, reserved: int | None = None
    ) -> None:
        self._lookup = lookup
        self._most = most_lookups() if most is None else most
        self._reserved = self._most // 8 if reserved is None else reserved
        """Lookups more, for names that were found before: dead ones take none."""
        self._lock = Condition()
        self._under_way: dict[tuple[str, int], Future[list[str]]] = {}
        self._found: OrderedDict[str, None] = OrderedDict()

    def find(self, host: str, port: int, seconds: float = LONGEST) -> list[str]:
        """Return the addresses of a host; OSError where they do not come in time."""
        patience = min(seconds, LONGEST)
        end = monotonic() + patience
        try:
            running = self._started(host, port, patience)
            return running.result(max(end - monotonic(), 0.0))
        except LateError:
            raise OSError(f"the name took more than {patience:.0f} seconds") from None

    def _started(self, host: str, port: int, patience: float) -> Future[list[str]]:
        key, under_way = (host, port), self._under_way
        with self._lock:
            room = self._most + (self._reserved if host in self._found else 0)
            if not self._lock.wait_for(
                lambda: key in under_way or len(under_way) < room, patience
            ):
                raise BusyError("too many names are being looked up just now")
            if key in under_way:
                return under_way[key]
            future: Future[list[str]] = Future()
            thread = Thread(
                target=self._run, args=(host, port, future), name="names", daemon=True
            )
            try:
                thread.start()
            except RuntimeError as error:  # the system has no thread left
                raise OSError(str(error)) from None
            under_way[key] = future
        return future

    def _run(self, host: str, port: int, future: Future[list[str]]) -> None:
        found: list[str] | None = None
        error: BaseException = OSError("the name has no address")
        try:
            found = list(self._lookup(host, port))
        except Exception as failed:  # noqa: BLE001 - handed to those who wait
            error = failed
        with self._lock:
            del self._under_way[host, port]
            self._lock.notify_all()
            if found:
                self._found[host] = None
                self._found.move_to_end(host)
                if len(self._found) > _MOST_KNOWN:
                    self._found.popitem(last=False)
        if found is None:
            future.set_exception(error)
        else:
            future.set_result(found)


def most_lookups() -> int:
    """Return how many lookups may be under way, by the files that may be open."""
    files, _ = getrlimit(RLIMIT_NOFILE)
    return (
        MAX_LOOKUPS if files == RLIM_INFINITY else min(MAX_LOOKUPS, max(files // 8, 16))
    )


Network: TypeAlias = IPv4Network | IPv6Network
Address: TypeAlias = IPv4Address | IPv6Address
Resolver: TypeAlias = Callable[[str, int], Sequence[str]]
"""From a host and a port to the addresses of the host, as text."""

SCHEMES = ("http", "https")
_MOST_ADDRESSES = 8

# Written out, because what `ipaddress` calls global changes between versions.
_CLOSED_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
# Of version 6 only 2000::/3 is public at all: IPv4-mapped, NAT64, local and multicast
# addresses lie outside. Teredo (in 2001::/23) and 6to4 (2002::/16) lie inside, and
# lead to any address of version 4.
_OPEN_6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_CLOSED_6 = tuple(
    map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
)


def is_public(address: Address) -> bool:
    """Return whether an address is one of the public internet.

    Addresses of version 6 that stand for one of version 4 are not, whichever it is.

    >>> is_public(ip_address("93.184.216.34")), is_public(ip_address("::ffff:8.8.8.8"))
    (True, False)
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_4)
    return address in _OPEN_6 and not any(address in net for net in _CLOSED_6)


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host as the system knows them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def parse_networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """Return networks that a person wrote down, like `10.0.0.0/8` or `::1`."""
    try:
        return tuple(ip_network(text.strip(), strict=False) for text in texts)
    except ValueError as error:
        raise ConfigError(
            f"a network that may be reached is written like 10.0.0.0/8 or ::1; {error}"
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Says which addresses may be reached, and refuses the others."""

    allow: tuple[Network, ...] = ()
    """Networks that may be reached although they are not public."""
    resolver: Resolver = resolve

    def permits(self, address: Address) -> bool:
        """Return whether this very address may be reached."""
        if is_public(address):
            return True
        if not any(address in network for network in self.allow):
            return False
        # Who allows a gateway to the world does not allow what lies behind it at home.
        return address not in _NAT64 or self.permits(
            IPv4Address(int(address) & 0xFFFF_FFFF)
        )

    def check_url(self, url: str) -> None:
        """Raise FetchError if `url` is not a web address with a host.

        Where the host leads is checked when it is connected to, and not before: the
        answer could be another one by then.
        """
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise FetchError(
                "address", f"{url[:200]!r} is no address: {error}"
            ) from None
        if parts.scheme.lower() not in SCHEMES or not host:
            raise FetchError(
                "address",
                f"only http and https addresses are fetched; got {url[:200]!r}",
            )

    def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """Return where to connect for `host`, each address checked.

        The name is resolved once, here. Connect to nothing but what this returns: a
        second question to the same name may be answered otherwise.
        """
        return self.permitted(host, lambda: self.resolver(host, port))

    def permitted(
        self, host: str, lookup: Callable[[], Sequence[str]]
    ) -> tuple[str, ...]:
        """Return what a lookup of `host` gives, each address checked."""
        found = _resolved(host, lookup)
        permitted = tuple(str(one) for one in found if self.permits(one))
        if permitted:
            return permitted[:_MOST_ADDRESSES]
        if not found:
            raise FetchError("name", f"{host} has no address")
        raise FetchError(
            "private",
            f"{host} leads to {found[0]}, which is not a public address; allow its "
            "network if it is meant to be reached",
        )


def _resolved(host: str, lookup: Callable[[], Sequence[str]]) -> list[Address]:
    try:
        return [ip_address(text) for text in lookup()]
    except BusyError as error:
        raise FetchError("busy", f"{host}: {error}") from None
    except (OSError, ValueError) as error:
        raise FetchError("name", f"{host} cannot be resolved: {error}") from None
