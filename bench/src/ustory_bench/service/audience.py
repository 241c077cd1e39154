"""Listeners to the events of a service, all in one process of their own."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

_ASKED = b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
_AGAIN = 1.0
_PATIENCE = 120.0


class Heard:
    """How many listen, and how much came to them; read from another process."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.listening: Any = spawn.Value("q", 0)
        self.size: Any = spawn.Value("q", 0)


@contextmanager
def audience(address: str, many: int) -> Iterator[Heard]:
    """Give listeners that are all connected; none need no process."""
    heard = Heard()
    if not many:
        yield heard
        return
    spawn = multiprocessing.get_context("spawn")
    given = (address, many, heard.listening, heard.size)
    process = spawn.Process(target=_listen_all, args=given)
    process.start()
    try:
        until = time.monotonic() + _PATIENCE
        while heard.listening.value < many:
            if time.monotonic() > until:
                raise TimeoutError(f"{heard.listening.value} of {many} listen")
            time.sleep(0.02)
        yield heard
    finally:
        process.terminate()
        process.join()


def _listen_all(address: str, many: int, listening: Any, size: Any) -> None:  # noqa: ANN401 - shared values
    async def everybody() -> None:
        every = (_listen(address, listening, size) for _ in range(many))
        await asyncio.gather(*every)

    asyncio.run(everybody())


async def _listen(address: str, listening: Any, size: Any) -> None:  # noqa: ANN401 - shared values
    parts = urlsplit(address)
    while True:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.write(_ASKED)
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " in head.partition(b"\r\n")[0]:
            break
        writer.close()
        await asyncio.sleep(_AGAIN)  # too many came at once
    listening.value += 1
    while part := await reader.read(65_536):
        size.value += len(part)
