"""Security headers of answers, and the host names that requests may use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ustory.core.errors import ConfigError
from ustory.web.errors import error_response
from ustory.web.guards import READING

API_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""An answer of the API may load and run nothing."""

_PAGE = (
    "default-src 'none'; script-src 'self'; style-src {style}; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGE_POLICY = _PAGE.format(style="'self'")
"""A page loads and runs only files of this server, and nothing inline."""
PLOT_POLICY = _PAGE.format(style="'self' 'unsafe-inline'")
"""Plotly writes inline styles; inline scripts stay forbidden."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class SecurityHeaders:
    """Adds the headers to every answer; a page may set its own policy."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and complete its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Content-Security-Policy", API_POLICY)
            await send(message)

        await self.app(scope, receive, with_headers)


LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))
_ANYWHERE = ("0.0.0.0", "::", "")
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?\.?")
_OURS = ("same-origin", "none")
"""`Sec-Fetch-Site` of requests by our own pages, or by the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """The host names of this service."""

    names: frozenset[str] = LOCAL
    addresses: bool = False
    """Whether any IP address is accepted: a foreign page cannot use one as name."""

    @classmethod
    def of(cls, bound: str, names: Iterable[str] = (), public: str = "") -> Hosts:
        """Return the names of a service: local ones, its address, and those given."""
        given = {each.lower().strip("[]").rstrip(".") for each in (bound, *names)}
        for name in given:
            if not (_NAME.fullmatch(name) or _is_address(name) or not name):
                raise ConfigError(
                    f"a host name is written like news.example; got {name!r}"
                )
        own = host_in(urlsplit(public).netloc) if public else None
        found = given | ({own} if own else set())
        return cls(
            names=frozenset(found - set(_ANYWHERE)) | LOCAL,
            addresses=bound.strip("[]") in _ANYWHERE,
        )

    def allow(self, host: str | None) -> bool:
        """Return whether a Host header, or an origin's host, names this service."""
        name = host_in(host)
        if name is None:
            return False
        return name in self.names or (self.addresses and _is_address(name))


def host_in(header: str | None) -> str | None:
    """Return the name in a Host header, without its port; None if there is none.

    >>> host_in("News.Example:8000"), host_in("[::1]:80"), host_in("a b"), host_in("")
    ('news.example', '::1', None, None)
    """
    try:
        name = (urlsplit(f"//{header or ''}").hostname or "").rstrip(".")
    except ValueError:
        return None
    return name if _NAME.fullmatch(name) or _is_address(name) else None


def checked_url(url: str) -> str:
    """Return the public address of a service; ConfigError if it is invalid."""
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not host_in(parts.netloc)):
        raise ConfigError(
            f"--public-url is an address like https://news.example/; got {url!r}"
        )
    return url


class HostCheck:
    """Refuses requests with an unknown host name, and writes by pages of other sites.

    A foreign name that resolves to this machine lets a stranger's page read a service
    on localhost; a stranger's form may send whatever its visitor may send.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts | None) -> None:
        self.app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http" or scope["path"] == "/healthz":
            await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host")
        if self._hosts is not None and not self._hosts.allow(host):
            answer = error_response(
                421,
                "this service is not known by that name; its owner can add it with "
                "--host-name",
            )
            await answer(scope, receive, send)
        elif scope["method"] not in READING and not self._is_ours(headers, host):
            answer = error_response(
                403, "a page of another site may not send this; send it yourself"
            )
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _is_ours(self, headers: dict[bytes, str], host: str | None) -> bool:
        """Return whether no page of another site sent this.

        Programs send neither header.
        """
        if headers.get(b"sec-fetch-site", "none") not in _OURS:
            return False
        origin = headers.get(b"origin")
        if origin is None:
            return True
        parts = urlsplit_or_none(origin)
        if parts is None or not parts[1]:
            return False
        if parts[1].lower() == (host or "").lower():
            return True
        # behind a proxy that changes the host, one of the given names counts
        name = host_in(parts[1])
        return self._hosts is not None and name in self._hosts.names - LOCAL


def urlsplit_or_none(origin: str) -> tuple[str, str] | None:
    """Return scheme and host of an origin; None if it is invalid."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.scheme, parts.netloc


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
