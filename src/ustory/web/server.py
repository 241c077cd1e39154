"""The web server: it reports its address, and ends event streams when it stops."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread

import uvicorn
from fastapi import FastAPI

from ustory.core.errors import ConfigError
from ustory.sources.http.guard import Network
from ustory.web.connections import Config, Connections, check_all
from ustory.web.limits import BACKLOG, Limits

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_MAX_HEAD = 262_144
"""Bytes of a request before its body: searches may be long, and written with %XX."""
_GRACE = 10
"""Seconds that requests have for ending when the server stops."""
_TICKS = 10
"""Ticks of uvicorn in a second."""


class Server(uvicorn.Server):
    """A server that notifies its app before it waits for open connections.

    Event streams never end by themselves, and the app's own shutdown comes only
    after all connections are closed.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        stopping: Callable[[], None],
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._stopping = stopping
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and call `ready`.

        What is there by then stays, hundreds of thousands of objects: a full search
        for garbage would look at all of them, and requests would wait for it.
        """
        await super().startup(sockets)
        if self.started:
            gc.collect()
            gc.freeze()
            self._ready()

    def stop(self) -> None:
        """Stop soon, as on a signal; for any thread."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on Ctrl-C and SIGTERM, and let the caller finish.

        The original would raise the signal again afterwards, and end the process
        before the database is released.
        """
        if current_thread() is not main_thread():
            yield
            return
        old = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)

    async def on_tick(self, counter: int) -> bool:
        """End connections that stall, once a second."""
        if counter % _TICKS == 0:
            now = asyncio.get_running_loop().time()
            check_all(list(self.server_state.connections), now)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then everything else."""
        self._stopping()
        await super().shutdown(sockets)
        gc.unfreeze()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is named. Without it an answer
    # in two parts waits 40 ms for the other side's delayed acknowledgement
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise ConfigError(
            f"cannot listen on {host}, port {port}: {error}; choose another with "
            "--port, or 0 for any that is free"
        ) from error
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address to open in a browser.

    >>> with listen("127.0.0.1", 0) as listener:
    ...     address_of(listener).startswith("http://127.0.0.1:")
    True
    """
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)
    return (
        f"http://[{host}]:{port}"
        if ":" in host.strip("[]")
        else f"http://{host}:{port}"
    )


def make_server(
    app: FastAPI,
    stopping: Callable[[], None],
    ready: Callable[[], None] = lambda: None,
    *,
    limits: Limits | None = None,
    proxies: Sequence[Network] = (),
) -> Server:
    """Return the server of an app.

    `ready` is called when it listens, `stopping` when it begins to stop.
    `X-Forwarded-For` of `proxies` is trusted.
    """
    limits = (limits or Limits()).within()
    config = Config(
        app,
        Connections(limits, proxies),
        log_config=None,  # ours: see web/logs.py
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
        timeout_keep_alive=limits.idle_seconds,
        h11_max_incomplete_event_size=_MAX_HEAD,
        backlog=BACKLOG,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=[str(each) for each in proxies],
        lifespan="on",
    )
    return Server(config, stopping, ready)
