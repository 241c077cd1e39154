"""Behind a real web server: streams, limits while reading, and a quiet end."""

from __future__ import annotations

import gc
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.web.conftest import GENEROUS, KEY, WRITER, open_service
from tests.web.running import running
from ustory.web.keys import Keys
from ustory.web.service import Rules, Service

SMALL = 20_000


@pytest.fixture
def service(database: Path) -> Iterator[Service]:
    """Return a service that takes small bodies only."""
    limits = replace(GENEROUS, body=SMALL)
    service = open_service(database, Rules(keys=Keys.of([KEY]), limits=limits))
    yield service
    service.store.close()


@pytest.fixture
def address(service: Service) -> Iterator[str]:
    """Return the address of a running server."""
    with running(service) as address:
        yield address


def _events(address: str, limit: int, **headers: str) -> list[dict[str, object]]:
    """Return the events of a stream that ends by itself."""
    with httpx.stream(
        "GET",
        f"{address}/api/events",
        params={"limit": limit},
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        timeout=20,
    ) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = list(answer.iter_lines())
    found = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    ids = [line[4:] for line in lines if line.startswith("id: ")]
    assert ids == [str(event["id"]) for event in found]
    return found


def test_a_stream_goes_on_behind_the_last_event_that_was_heard(address: str) -> None:
    first = _events(address, 5, last_event_id="0")
    second = _events(address, 3, last_event_id="5")

    assert [event["id"] for event in first] == [1, 2, 3, 4, 5]
    assert [event["id"] for event in second] == [6, 7, 8]
    assert first[0]["kind"] == "born"
    assert set(first[0]) == {
        "id", "slide", "at", "kind", "story", "articles", "details",
    }  # fmt: skip


def test_what_is_there_at_the_start_is_not_searched_for_garbage_again(
    service: Service,
) -> None:
    with running(service) as address:
        assert httpx.get(f"{address}/api/stories", timeout=20).status_code == 200
        assert gc.get_freeze_count() > 50_000
    assert gc.get_freeze_count() == 0


def test_a_listener_hears_of_a_slide_soon_after_it_is_done(
    address: str, service: Service
) -> None:
    heard: list[dict[str, object]] = []
    listener = threading.Thread(target=lambda: heard.extend(_events(address, 1)))
    listener.start()
    time.sleep(0.5)
    twins = [
        {"title": "Zeppelin lands in Ostermoor", "text": "A zeppelin landed.",
         "source": name, "published_at": "2024-03-17T23:00:00Z", "url": url}
        for name, url in (("One", "https://one.example/z"), ("Two", "https://two.example/z"))
    ]  # fmt: skip
    sent = httpx.post(
        f"{address}/api/articles", json={"articles": twins}, headers=WRITER
    )
    service.loop.finish()
    listener.join(10)

    assert sent.status_code == 200
    assert [event["kind"] for event in heard] == ["born"]


def test_a_silent_stream_says_that_it_is_alive(address: str) -> None:
    with httpx.stream("GET", f"{address}/api/events", timeout=10) as answer:
        lines = answer.iter_lines()
        said = [next(lines) for _ in range(4)]

    assert ": still here" in said


def test_an_open_stream_does_not_keep_the_server_from_stopping(
    service: Service,
) -> None:
    with running(service) as address:
        stream = httpx.stream("GET", f"{address}/api/events", timeout=20)
        answer = stream.__enter__()
        next(answer.iter_lines())
        began = time.monotonic()

    assert time.monotonic() - began < 8
    stream.__exit__(None, None, None)


def _raw(address: str, head: str, pieces: Iterator[bytes]) -> tuple[bytes, int]:
    """Send a request by hand; return the answer and how much could be sent."""
    place = urlsplit(address)
    assert place.hostname
    sent = 0
    with socket.create_connection((place.hostname, place.port or 80), 10) as line:
        line.sendall(head.replace("\n", "\r\n").encode())
        with suppress(OSError):
            for piece in pieces:
                line.sendall(piece)
                sent += len(piece)
        answer = b""
        with suppress(OSError):
            while piece := line.recv(65536):
                answer += piece
        return answer, sent


_HEAD = f"""\
POST /api/articles HTTP/1.1
Host: test
Authorization: Bearer {KEY}
Content-Type: application/json
"""


def _chunks(size: int) -> Iterator[bytes]:
    piece = b"x" * 4096
    while size > 0:
        yield b"1000\r\n" + piece + b"\r\n"
        size -= len(piece)


def test_a_body_without_a_length_is_cut_off_at_the_limit(address: str) -> None:
    head = f"{_HEAD}Transfer-Encoding: chunked\n\n"

    answer, sent = _raw(address, head, _chunks(100_000_000))

    assert sent < 50_000_000
    assert answer.startswith(b"HTTP/1.1 413") or answer == b""


def test_a_body_that_claims_too_much_is_refused_unread(address: str) -> None:
    answer, _ = _raw(address, f"{_HEAD}Content-Length: 100000000\n\n", iter(()))

    assert answer.startswith(b"HTTP/1.1 413")
    assert b'"kind":"too_large"' in answer


def test_a_body_just_over_the_limit_is_refused_in_our_shape(address: str) -> None:
    def body() -> Iterator[bytes]:
        yield b'{"title": "' + b"x" * SMALL + b'"}'

    answer = httpx.post(
        f"{address}/api/articles",
        content=body(),
        headers={**WRITER, "Content-Type": "application/json"},
    )

    assert answer.status_code == 413
    assert answer.json()["error"]["kind"] == "too_large"


def test_the_server_does_not_say_what_it_is_made_of(address: str) -> None:
    answer = httpx.get(f"{address}/healthz")

    assert "server" not in answer.headers
    assert answer.json()["status"] == "ok"


def test_a_service_that_starts_again_goes_on_where_it_was(database: Path) -> None:
    ids = []
    for _ in range(2):
        service = open_service(database)
        with running(service) as address:
            answer = httpx.get(f"{address}/api/stories")
            ready = httpx.get(f"{address}/readyz").json()
            ids.append(([s["id"] for s in answer.json()["stories"]], ready["slide"]))
        service.store.close()

    assert ids[0] == ids[1]
    assert ids[0][0]
