"""How fast intake, pages and slides are while strangers flood the service."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import httpx

from ustory_bench.service.filling import Say
from ustory_bench.service.running import serving
from ustory_bench.simulate import SimulationPlan, simulate

SECONDS = 8.0
"""How long a flood lasts; what is measured begins a second after it."""
_KEY, _OTHER = "the-key-of-who-is-measured", "the-key-of-who-floods-intake"
_STRANGERS = ("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5")
_EACH = 40
"""Connections of each stranger."""
_BATCH = 15
_START = datetime(2026, 1, 5, tzinfo=UTC)
_TEXT = "The harbour of Kestrel Bay was closed after the storm broke a crane. " * 100


def _request(method: str, path: str, body: bytes = b"", key: str = "") -> bytes:
    login = f"Authorization: Bearer {key}\r\n" if key else ""
    kind = "Content-Type: application/json\r\n" if body else ""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{login}{kind}"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _posted(number: int) -> bytes:
    body = {
        "title": f"Storm {number}",
        "text": _TEXT[:700],
        "source": f"s{number}",
        "published_at": _START.isoformat(),
    }
    return _request("POST", "/api/articles", json.dumps(body).encode(), _OTHER)


_MATCH = _request("POST", "/api/match", json.dumps({"text": _TEXT}).encode())
_HALF = _request("POST", "/api/match", b"{")
_HALF_BODY = _HALF.replace(b"Content-Length: 1", b"Content-Length: 5000000")
FLOODS: dict[str, list[bytes]] = {
    "none": [],
    "pages": [_request("GET", p) for p in ("/", "/timeline", "/api/stories?q=storm")],
    "matches": [_MATCH],
    "articles": [_posted(number) for number in range(200)],
    "event streams": [_request("GET", "/api/events")],
    "silent connections": [b""],
    "half-sent bodies": [_HALF_BODY],
}
"""What strangers send, again and again, by the name of the flood."""


def measure(folder: Path, say: Say, seconds: float = SECONDS) -> dict[str, Any]:
    """Measure a new service under each flood."""
    rows = []
    for name in FLOODS:
        rows.append({"flood": name, **_round(folder, name, seconds)})
        say(str(rows[-1]))
    return {"seconds": seconds, "connections": len(_STRANGERS) * _EACH, "rows": rows}


def _round(folder: Path, name: str, seconds: float) -> dict[str, Any]:
    database = folder / f"floods-{time.time_ns()}.db"
    keys = ("--key", _KEY, "--key", _OTHER, "--as-of-articles", "--slide", "1h")
    batches = _batches(300)
    with serving(database, keys) as server, httpx.Client(timeout=60) as client:
        caller = Caller(client, server.address)
        for batch in batches[:10]:
            caller.post(batch)
        spawn = multiprocessing.get_context("spawn")
        given = (server.address, name, seconds)
        flood = spawn.Process(target=_flood, args=given)
        flood.start()
        time.sleep(1.0 + 1.0)  # a process needs a while to begin
        found = _measured(caller, batches[10:], seconds - 2.0)
        flood.join()
    return found


class Caller:
    """Whoever uses the service as it is meant to be used; keeps a connection."""

    def __init__(self, client: httpx.Client, address: str) -> None:
        self._client = client
        self._address = address
        self._login = {"Authorization": f"Bearer {_KEY}"}

    def post(self, batch: Sequence[dict[str, Any]]) -> float:
        """Send articles; return the seconds it took, infinite where it failed."""
        return self._timed("POST", "/api/articles", json={"articles": batch})

    def page(self) -> float:
        """Ask for the first page; return the seconds it took."""
        return self._timed("GET", "/")

    def slides(self) -> list[float]:
        """Return the seconds of the last slides, newest first."""
        answer = self._client.get(
            f"{self._address}/api/operations", headers=self._login
        )
        return [each["seconds"]["total"] for each in answer.json()["slides"]]

    def _timed(self, method: str, path: str, **given: Any) -> float:  # noqa: ANN401 - httpx's
        began = time.perf_counter()
        try:
            answer = self._client.request(
                method, f"{self._address}{path}", headers=self._login, **given
            )
        except httpx.HTTPError:
            return float("inf")
        took = time.perf_counter() - began
        return took if answer.status_code == httpx.codes.OK else float("inf")


def _measured(
    caller: Caller, batches: Sequence[Sequence[dict[str, Any]]], seconds: float
) -> dict[str, Any]:
    """Post, and look at a page, in turns; each post closes a slide."""
    posts, pages = [], []
    until = time.monotonic() + seconds
    for batch in batches:
        if time.monotonic() > until:
            break
        posts.append(caller.post(batch))
        pages.append(caller.page())
        time.sleep(0.05)
    slides: list[float] = []
    with suppress(httpx.HTTPError, ValueError, KeyError):
        slides = caller.slides()[: len(posts)]
    failed = sum(each == float("inf") for each in posts + pages)
    return {
        "post_ms": _ms(posts),
        "page_ms": _ms(pages),
        "slowest_ms": _ms([max(e for e in posts + pages if e < float("inf"))])
        if failed < len(posts + pages)
        else None,
        "slide_ms": _ms(slides) if slides else None,
        "rounds": len(posts),
        "failed": failed,
    }


def _ms(times: Sequence[float]) -> float | None:
    middle = median(times) if times else float("inf")
    return None if middle == float("inf") else round(1000 * middle, 1)


def _batches(count: int) -> list[list[dict[str, Any]]]:
    """Return batches of articles, each an hour after the one before."""
    made = simulate(SimulationPlan(articles=count * _BATCH, days=20, sentences=5))
    records = [
        {"title": each.title, "text": each.text, "source": each.source, "id": each.id}
        for each in made
    ]
    return [
        [
            {**record, "published_at": (_START + timedelta(hours=number)).isoformat()}
            for record in records[number * _BATCH : (number + 1) * _BATCH]
        ]
        for number in range(count)
    ]


def _flood(address: str, name: str, seconds: float) -> None:
    """Send what a flood sends, from several addresses, for so long."""
    sent = FLOODS[name]

    async def everybody() -> None:
        every = [
            _stranger(address, place, sent[number % len(sent) :] + sent)
            for place in _STRANGERS
            for number in range(_EACH if sent else 0)
        ]
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*every), seconds)

    asyncio.run(everybody())


async def _stranger(address: str, place: str, sent: Sequence[bytes]) -> None:
    """Send one request after the other, and go on whatever is answered."""
    parts = urlsplit(address)
    while True:
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(
                parts.hostname, parts.port, local_addr=(place, 0)
            )
            try:
                for each in sent:
                    writer.write(each)
                    await reader.readuntil(b"\r\n\r\n")
                    with suppress(TimeoutError):
                        await asyncio.wait_for(reader.read(65_536), 0.05)
            finally:
                writer.close()
        await asyncio.sleep(0.05)
