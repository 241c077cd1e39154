"""Connections that go only where the guard lets them, and end in time."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import httpcore
import httpx

from ustory.sources.http.guard import Guard, Names

DEADLINE = "ustory.deadline"
"""Extension of a request: when it must be over, on the monotonic clock."""


class _Stream(httpcore.NetworkStream):
    """A connection whose every step counts against one deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return some bytes, as soon as there are any."""
        return self._stream.read(max_bytes, _left(self._deadline, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        self._stream.write(buffer, _left(self._deadline, timeout))

    def close(self) -> None:
        """End the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """Encrypt; the certificate must be that of the name, not of the address."""
        stream = self._stream.start_tls(
            ssl_context, server_hostname, _left(self._deadline, timeout)
        )
        return _Stream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - httpcore's signature
        """Return what is known of the connection underneath."""
        return self._stream.get_extra_info(info)


class _Pinned(httpcore.NetworkBackend):
    """Connects to the addresses that were checked, never to a name."""

    def __init__(self, guard: Guard, names: Names, deadline: float) -> None:
        self._guard = guard
        self._names = names
        self._deadline = deadline
        self._network = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Resolve once, check, and connect to the first address that answers."""
        error: Exception = httpcore.ConnectError(f"{host} has no address")
        patience = _left(self._deadline, timeout)
        for address in self._guard.permitted(
            host, lambda: self._names.find(host, port, patience)
        ):
            left = _left(self._deadline, timeout)
            try:
                stream = self._network.connect_tcp(
                    address, port, left, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                error = failed
            else:
                return _Stream(stream, self._deadline)
        raise error


class _Body(httpx.SyncByteStream):
    """The bytes of an answer; closing it closes the connection."""

    def __init__(self, stream: Iterable[bytes], pool: httpcore.ConnectionPool) -> None:
        self._stream = stream
        self._pool = pool

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._stream

    def close(self) -> None:
        """End the connection, whatever is still on its way."""
        with _as_httpx():
            self._pool.close()


class GuardedTransport(httpx.BaseTransport):
    """An httpx transport that reaches only what its guard permits.

    Each request has a connection of its own, which is checked when it is made and
    must be over, with its body, `total` seconds later. Proxies of the environment are
    not used: they would resolve names themselves.
    """

    def __init__(
        self, guard: Guard, names: Names, *, tls: ssl.SSLContext, total: float
    ) -> None:
        self._guard = guard
        self._names = names
        self._tls = tls
        self._total = total

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its answer must be closed."""
        self._guard.check_url(str(request.url))
        deadline = request.extensions.get(DEADLINE, monotonic() + self._total)
        pool = httpcore.ConnectionPool(
            ssl_context=self._tls,
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=_Pinned(self._guard, self._names, deadline),
        )
        try:
            with _as_httpx():
                answer = pool.handle_request(_to_core(request))
        except BaseException:
            pool.close()
            raise
        assert isinstance(answer.stream, Iterable)
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream, pool),
        )


def _left(deadline: float, timeout: float | None) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time for this request is over")
    return left if timeout is None else min(left, timeout)


def _to_core(request: httpx.Request) -> httpcore.Request:
    assert isinstance(request.stream, httpx.SyncByteStream)
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        ),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


@contextmanager
def _as_httpx() -> Iterator[None]:
    # The two packages have the same names for the same mishaps.
    try:
        yield
    except (
        httpcore.TimeoutException,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.UnsupportedProtocol,
    ) as error:
        kind = getattr(httpx, type(error).__name__, httpx.TransportError)
        raise kind(str(error)) from error
