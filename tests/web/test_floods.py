"""A flood of one kind leaves the others their turns."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from tests.web.conftest import GENEROUS, KEY, WRITER, open_service
from tests.web.running import running
from ustory.web.errors import ApiError
from ustory.web.guards import Turns
from ustory.web.keys import CALLER, Caller, Keys
from ustory.web.limits import Limits
from ustory.web.service import Rules

STRANGERS = ("127.0.0.2", "127.0.0.3", "127.0.0.4")


class Work:
    """An app that counts what it works on at a time, and ends when it is told."""

    def __init__(self) -> None:
        self.now: list[str] = []
        self.most = 0
        self.over = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Work on a request."""
        del receive, send
        self.now.append(scope[CALLER].id)
        self.most = max(self.most, len(self.now))
        await self.over.wait()
        self.now.remove(scope[CALLER].id)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(message: Message) -> None:
    del message


def _asked(turns: Turns, who: str, method: str = "GET") -> asyncio.Task[None]:
    scope = {
        "type": "http", "method": method, "path": "/api/x", CALLER: Caller(id=who),
    }  # fmt: skip
    return asyncio.create_task(turns(scope, _nothing, _unheard))


def test_one_caller_has_a_part_of_the_turns_and_reading_none_of_writing() -> None:
    async def play() -> None:
        work = Work()
        turns = Turns(work, Limits(reading=4, writing=2, at_once=3))
        tasks = [_asked(turns, "greedy") for _ in range(50)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert work.now == ["greedy"] * 3
        tasks += [_asked(turns, "other"), _asked(turns, "third")]
        tasks += [_asked(turns, "writer", "POST")]
        await asyncio.sleep(0.01)
        assert sorted(work.now) == ["greedy"] * 3 + ["other", "writer"]
        work.over.set()
        await asyncio.wait_for(asyncio.gather(*tasks), 5)
        assert work.most <= 6
        assert turns._own == {}, "callers are remembered for ever"

    asyncio.run(play())


def test_who_leaves_while_waiting_gives_the_turn_back() -> None:
    async def play() -> None:
        work = Work()
        turns = Turns(work, Limits(reading=1, writing=1, at_once=1))
        first, second = _asked(turns, "a"), _asked(turns, "b")
        await asyncio.sleep(0.01)
        second.cancel()
        work.over.set()
        await asyncio.gather(first, second, return_exceptions=True)
        await asyncio.wait_for(_asked(turns, "c"), 1)
        assert turns._own == {}

    asyncio.run(play())


def test_bodies_that_are_held_have_a_limit_together_and_strangers_half_of_it() -> None:
    async def play() -> None:
        work = Work()
        turns = Turns(work, Limits(buffered=100, writing=8, at_once=8))

        async def piece() -> Message:
            return {"type": "http.request", "body": b"x" * 40, "more_body": False}

        def sent(name: str | None) -> asyncio.Task[None]:
            caller = Caller(id=str(name), name=name)
            scope = {"type": "http", "method": "POST", "path": "/api/x", CALLER: caller}
            return asyncio.create_task(turns(scope, piece, _unheard))

        tasks = [sent(None), sent("desk")]
        await asyncio.sleep(0.01)
        for name in (None, "desk"):
            with pytest.raises(ApiError) as caught:
                await sent(name)
            assert caught.value.status_code == 503
            assert "Retry-After" in (caught.value.headers or {})
        work.over.set()
        await asyncio.wait_for(asyncio.gather(*tasks), 5)
        await asyncio.wait_for(sent("desk"), 5)
        assert turns._held == 0, "bytes are counted for ever"

    asyncio.run(play())


@contextmanager
def _flooded(address: str, request: bytes) -> Iterator[None]:
    """Send requests from several addresses, again and again, until the end."""
    place, stop = urlsplit(address), threading.Event()

    def flood(source: str) -> None:
        while not stop.wait(0.02):
            with suppress(OSError), ExitStack() as lines:
                for _ in range(20):
                    line = lines.enter_context(
                        socket.create_connection(
                            (place.hostname, place.port or 80), 5, (source, 0)
                        )
                    )
                    line.sendall(request)
                stop.wait(0.2)

    threads = [threading.Thread(target=flood, args=(each,)) for each in STRANGERS]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(10)


def test_a_caller_is_answered_while_strangers_flood_the_service(
    database: Path,
) -> None:
    limits = replace(GENEROUS, per_address=40, reads=Limits().reads)
    service = open_service(database, Rules(keys=Keys.of([KEY]), limits=limits))
    match = b'{"text": "' + b"The harbour was closed after the storm. " * 100 + b'"}'
    head = "{} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    floods = {
        "pages": (head.format("GET /api/stories?q=storm") + "\r\n").encode(),
        "texts": head.format("POST /api/match").encode()
        + b"Content-Length: %d\r\n\r\n" % len(match) + match,
        "half-sent bodies": head.format("POST /api/articles").encode()
        + b"Content-Length: 100000\r\n\r\n{",
        "nothing": b"",
    }  # fmt: skip
    slowest: dict[str, float] = {}
    with running(service) as address, httpx.Client(headers=WRITER) as client:
        for name, request in floods.items():
            with _flooded(address, request):
                time.sleep(0.5)
                for number in range(5):
                    began = time.monotonic()
                    body = {"title": f"A storm, part {number} of {name}"}
                    sent = client.post(f"{address}/api/articles", json=body, timeout=20)
                    page = client.get(f"{address}/", timeout=20)
                    took = time.monotonic() - began
                    slowest[name] = max(took, slowest.get(name, 0.0))
                    assert (sent.status_code, page.status_code) == (200, 200), name
    service.store.close()

    assert max(slowest.values()) < 10, slowest
