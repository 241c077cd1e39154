"""A real web server in a thread, which answers as it is told and notes who asked."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from threading import Thread
from typing import TypeAlias

from ustory.sources.http.client import Web, WebLimits

HERE = (ip_network("127.0.0.1/32"),)
"""The network that tests allow."""

QUICK = WebLimits(connect=2.0, read=2.0, total=5.0, size=1_000_000)


@dataclass(frozen=True)
class Reply:
    """What the server answers."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """A request as it came in."""

    path: str
    headers: dict[str, str]


Custom: TypeAlias = Callable[[BaseHTTPRequestHandler], None]
Route: TypeAlias = Reply | Callable[[Asked], Reply] | Custom


@dataclass
class Site:
    """The server's address, what it answers, and what it was asked."""

    url: str
    port: int
    routes: dict[str, Reply | Callable[[Asked], Reply]] = field(default_factory=dict)
    raw: dict[str, Custom] = field(default_factory=dict)
    """Paths whose handlers write their answer themselves."""
    asked: list[Asked] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [asked.path for asked in self.asked]


def web(limits: WebLimits = QUICK, contact: str = "") -> Web:
    """Return a way out that may reach this machine."""
    return Web(allow=HERE, limits=limits, contact=contact)


@contextmanager
def serving(
    tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
) -> Iterator[Site]:
    """Serve until the block is left."""
    site = Site(url="", port=0)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = Asked(self.path, {k.lower(): v for k, v in self.headers.items()})
            site.asked.append(asked)
            if self.path in site.raw:
                site.raw[self.path](self)
                return
            route = site.routes.get(self.path, Reply(status=404))
            _send(self, route if isinstance(route, Reply) else route(asked))

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    server = _Server((host, 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    site.port = server.server_address[1]
    site.url = f"{'http' if tls is None else 'https'}://{host}:{site.port}"
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that hang up early are what is tested."""


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    handler.send_response(reply.status)
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    if "Content-Length" not in reply.headers:
        handler.send_header("Content-Length", str(len(reply.body)))
    handler.end_headers()
    handler.wfile.write(reply.body)
