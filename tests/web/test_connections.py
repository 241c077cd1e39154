"""Connections that say nothing, or too little, cost nobody else theirs."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from tests.web.conftest import GENEROUS, KEY, open_service
from tests.web.running import running
from ustory.web.connections import Config, Connection, Connections, place_of
from ustory.web.keys import Keys
from ustory.web.limits import Limits
from ustory.web.service import Rules

_POST = (
    "POST /api/articles HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json"
    f"\r\nAuthorization: Bearer {KEY}\r\nContent-Length: {{size}}\r\n\r\n"
)
_SERVE = "import sys; from ustory.cli.main import cli; cli()"


@contextmanager
def _served(database: Path, limits: Limits) -> Iterator[str]:
    service = open_service(database, Rules(keys=Keys.of([KEY]), limits=limits))
    try:
        with running(service) as address:
            yield address
    finally:
        service.store.close()


def _connected(address: str, timeout: float = 10.0) -> socket.socket:
    place = urlsplit(address)
    assert place.hostname
    return socket.create_connection((place.hostname, place.port or 80), timeout)


def _rest(line: socket.socket) -> bytes:
    said = b""
    with suppress(OSError):
        while part := line.recv(65_536):
            said += part
    return said


def test_a_kept_connection_answers_without_waiting_for_acknowledgements(
    database: Path,
) -> None:
    with _served(database, GENEROUS) as address, httpx.Client() as client:
        took = []
        for _ in range(20):
            began = time.perf_counter()
            client.get(f"{address}/healthz")
            took.append(time.perf_counter() - began)

    # a delayed acknowledgement is 40 ms
    assert statistics.median(took) < 0.03


def test_one_address_has_so_many_connections_and_is_told_so(database: Path) -> None:
    limits = replace(GENEROUS, per_address=3)
    with _served(database, limits) as address, ExitStack() as lines:
        held = [lines.enter_context(_connected(address)) for _ in range(3)]
        time.sleep(0.3)
        said = _rest(lines.enter_context(_connected(address)))
        held[0].close()
        time.sleep(0.3)
        later = httpx.get(f"{address}/healthz").status_code

    assert said.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 10" in said
    assert b'"kind": "unavailable"' in said
    assert later == 200


def test_addresses_are_counted_apart_and_networks_of_ipv6_together() -> None:
    connections = Connections(Limits(connections=4, per_address=2))
    entered = [
        connections.enter(address)
        for address in ("192.0.2.1", "2001:db8::1", "2001:db8::2", "2001:db8::3")
    ]

    assert entered == ["192.0.2.1", "2001:db8::/64", "2001:db8::/64", None]
    assert connections.enter("192.0.2.9") is not None
    assert connections.enter("192.0.2.10") is None, "four are the most"
    assert connections.refused == 2
    connections.leave("2001:db8::/64")
    assert connections.enter("192.0.2.10") is not None
    assert place_of("::ffff:192.0.2.1") == "192.0.2.1"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"", b""),
        (b"GET /healthz HT", b"HTTP/1.1 408 "),
        (_POST.format(size=5_000_000).encode() + b'{"title"', b"HTTP/1.1 408 "),
    ],
    ids=["nothing", "half a head", "half a body"],
)
def test_what_does_not_come_in_time_is_not_waited_for(
    database: Path, sent: bytes, said: bytes
) -> None:
    limits = replace(GENEROUS, head_seconds=1.0, body_pause=1.0)
    with _served(database, limits) as address, _connected(address) as line:
        began = time.monotonic()
        line.sendall(sent)
        answer = _rest(line)
        took = time.monotonic() - began

    assert took < 6
    assert answer[: len(said)] == said
    assert bool(answer) == bool(said)


def test_a_body_that_trickles_has_an_end_too(database: Path) -> None:
    limits = replace(GENEROUS, body_pause=5.0, body_seconds=2.0)
    with _served(database, limits) as address, _connected(address) as line:
        line.sendall(_POST.format(size=5_000_000).encode())
        line.settimeout(0.3)
        answer = b""
        for _ in range(20):
            with suppress(OSError):
                line.sendall(b" ")
            with suppress(TimeoutError):
                answer = line.recv(65_536)
                break

    assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_head_that_trickles_after_a_first_request_is_not_waited_for(
    database: Path,
) -> None:
    limits = replace(GENEROUS, head_seconds=1.0, idle_seconds=1.0)
    with _served(database, limits) as address, _connected(address) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert line.recv(65_536).startswith(b"HTTP/1.1 200 ")
        began = time.monotonic()
        line.sendall(b"GET")
        answer = _rest(line)

    assert time.monotonic() - began < 6
    assert b"HTTP/1.1 408 " in answer


def test_who_does_not_take_an_answer_is_let_go(database: Path) -> None:
    limits = replace(GENEROUS, write_seconds=1.0)
    with _served(database, limits) as address, _connected(address) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        asked = b"GET /static/plotly.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
        line.sendall(asked)
        time.sleep(4.0)
        # the system of one that is closed answers this with a reset; what it still
        # holds would come through the narrow window for a minute
        line.sendall(b"\r\n")
        size = len(_rest(line))

    assert 0 < size < 4_000_000, "all of it came"


async def _no_app(scope: Scope, receive: Receive, send: Send) -> None:
    del scope, receive, send


def test_who_leaves_the_end_of_an_answer_untaken_loses_the_place_too() -> None:
    async def play() -> tuple[bool, bool, str | None]:
        limits = Limits(connections=1, write_seconds=5.0)
        places = Connections(limits)
        config = Config(_no_app, places, log_config=None)
        config.load()
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        loop = asyncio.get_running_loop()
        transport, connection = await loop.create_connection(
            lambda: Connection(config, ServerState(), {}), sock=ours
        )
        # more than the system takes, less than what makes us stop writing
        transport.write(b"x" * 60_000)
        now = loop.time() + limits.head_seconds + 1
        connection.check(now)
        closing = transport.is_closing()
        connection.check(now + 1)
        connection.check(now + 4)
        await asyncio.sleep(0.05)
        early = places.enter("192.0.2.1") is None
        connection.check(now + 7)
        await asyncio.sleep(0.05)
        after = places.enter("192.0.2.1")
        theirs.close()
        return closing, early, after

    closing, early, after = asyncio.run(play())

    assert closing, "the connection kept us waiting and was not closed"
    assert early, "the place was taken away before its time"
    assert after == "192.0.2.1", "the place is lost"


@pytest.mark.parametrize("chunked", [False, True])
def test_a_client_that_sends_too_much_sees_why_it_is_refused(
    database: Path, chunked: bool
) -> None:
    piece = b"x" * 100_000
    size = 12_000_000 if not chunked else 120 * (len(piece) + 9) + 5
    head = _POST.format(size=size)
    if chunked:
        piece = b"186a0\r\n" + piece + b"\r\n"
        head = head.replace(f"Content-Length: {size}", "Transfer-Encoding: chunked")
    with _served(database, GENEROUS) as address, _connected(address, 30.0) as line:
        line.sendall(head.encode())
        for _ in range(120):  # as most clients do: all of it, and then they listen
            line.sendall(piece)
        line.sendall(b"0\r\n\r\n" if chunked else b"")
        answer = line.recv(65_536)
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        after = line.recv(65_536)

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert after.startswith(b"HTTP/1.1 200 ") or b'"too_large"' in after


def test_a_refused_body_is_not_read_for_ever(database: Path) -> None:
    limits = replace(GENEROUS, body=1_000, drained=200_000)
    with _served(database, limits) as address, _connected(address) as line:
        line.sendall(_POST.format(size=10**9).encode())
        sent = 0
        with suppress(OSError):
            for _ in range(2_000):
                line.sendall(b"x" * 100_000)
                sent += 100_000

    assert sent < 50_000_000


@contextmanager
def _many_files(wanted: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            pytest.skip(f"needs {wanted:,} open files; the system allows {hard:,}")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_eleven_hundred_silent_connections_do_not_stop_a_service_of_1024_files(
    database: Path,
) -> None:
    command = (
        *(sys.executable, "-c", _SERVE, "serve", "--database", str(database)),
        *("--port", "0", "--encoder", "tiny", "--slide", "1d", "--as-of-articles"),
        *("--limit", "per_address=2000"),
    )
    with _many_files(3_000), ExitStack() as lines:
        process = subprocess.Popen(
            ["/bin/sh", "-c", 'ulimit -n 1024; exec "$@"', "sh", *command],
            env={**os.environ, "USTORY_API_KEYS": "a-key-for-the-test-alone"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            address = process.stdout.readline().rsplit(" at ", 1)[1].strip()
            silent = [lines.enter_context(_connected(address)) for _ in range(1_100)]
            refused = sum(_is_refused(line) for line in silent)
            answered = _answered_within(address, 40.0)
        finally:
            process.terminate()
            _, complaints = process.communicate(timeout=60)

    assert refused >= 100, "640 are the most that 1,024 files leave room for"
    assert answered == 200
    assert "Too many open files" not in complaints


def _is_refused(line: socket.socket) -> bool:
    line.settimeout(0.01)
    with suppress(OSError):
        return line.recv(100).startswith(b"HTTP/1.1 503 ")
    return False


def _answered_within(address: str, seconds: float) -> int | None:
    """Return the status of /readyz once it is answered, while the others are open."""
    until = time.monotonic() + seconds
    status = None
    while status != 200 and time.monotonic() < until:
        with suppress(httpx.HTTPError):
            status = httpx.get(f"{address}/readyz", timeout=5).status_code
        time.sleep(0.3)
    return status
