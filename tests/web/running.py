"""A service behind a real web server, in a thread of the test."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from ustory.web.app import create_app
from ustory.web.server import address_of, listen, make_server
from ustory.web.service import Service

_PATIENCE = 20.0


@contextmanager
def running(service: Service) -> Iterator[str]:
    """Serve on a free port, and give the address; stop as on a signal."""
    listener = listen("127.0.0.1", 0)
    server = make_server(
        create_app(service),
        service.close_streams,
        limits=service.rules.limits,
        proxies=service.rules.proxies,
    )
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    until = time.monotonic() + _PATIENCE
    while not server.started and thread.is_alive() and time.monotonic() < until:
        time.sleep(0.01)
    try:
        assert server.started, "the server did not start"
        yield address_of(listener)
    finally:
        server.should_exit = True
        thread.join(_PATIENCE)
        listener.close()
        assert not thread.is_alive(), "the server did not stop"
