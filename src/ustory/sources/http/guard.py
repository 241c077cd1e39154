"""Which addresses may be reached: public ones, and those that were allowed."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TypeAlias
from urllib.parse import urlsplit

from ustory.core.errors import ConfigError
from ustory.sources.http.errors import FetchError
from ustory.sources.http.resolver import BusyError

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
