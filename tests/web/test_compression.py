"""Text goes out in gzip to those who accept it; streams and packed files do not."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Sequence
from random import Random

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from ustory.web.compression import MIN_BYTES, Compression

TEXT = ["/", "/map", "/timeline", "/api/stories", "/api/stories.atom",
        "/api/stories.json", "/api/export/articles", "/api/openapi.json",
        "/api/export/articles?format=csv", "/nowhere?" + "x" * 600]  # fmt: skip
ACCEPTS = {"Accept-Encoding": "gzip", "Accept": "text/html"}


def _raw(client: TestClient, path: str, **headers: str) -> tuple[dict[str, str], bytes]:
    """Return headers and the bytes of a body as they are on the wire."""
    sent = {"Accept-Encoding": "identity", **headers}
    with client.stream("GET", path, headers=sent) as answer:
        return dict(answer.headers), b"".join(answer.iter_raw())


@pytest.mark.parametrize("path", TEXT)
def test_text_is_packed_for_those_who_accept_it(reader: TestClient, path: str) -> None:
    head, packed = _raw(reader, path, **ACCEPTS)
    plain_head, plain = _raw(reader, path, Accept="text/html")

    assert head["content-encoding"] == "gzip"
    assert "content-encoding" not in plain_head
    assert len(packed) < len(plain) / 2
    assert len(gzip.decompress(packed)) == len(plain)
    for each in (head, plain_head):
        assert "accept-encoding" in each["vary"].lower()
    assert head.get("content-length", str(len(packed))) == str(len(packed))


@pytest.mark.parametrize("path", ["/healthz", "/api/events?after=0&limit=1"])
def test_short_answers_and_event_streams_are_not_packed(
    reader: TestClient, path: str
) -> None:
    head, body = _raw(reader, path, **ACCEPTS)

    assert "content-encoding" not in head
    assert body


def test_a_file_that_is_packed_already_is_left_alone(reader: TestClient) -> None:
    pytest.importorskip("pyarrow.parquet", reason="the extra parquet is missing")
    head, body = _raw(reader, "/api/export/articles?format=parquet", **ACCEPTS)

    assert "content-encoding" not in head
    assert body[:4] == b"PAR1"


def test_an_export_is_the_same_packed_or_not(reader: TestClient) -> None:
    _, packed = _raw(reader, "/api/export/events", **ACCEPTS)
    _, plain = _raw(reader, "/api/export/events")

    assert gzip.decompress(packed) == plain
    assert all(json.loads(line) for line in plain.splitlines())


@pytest.mark.parametrize(
    ("headers", "packed"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-User": "?1"}, True),
    ],
)
def test_a_page_of_another_site_learns_nothing_from_lengths(
    reader: TestClient, headers: dict[str, str], packed: bool
) -> None:
    head, _ = _raw(reader, "/?q=guessed", **ACCEPTS, **headers)

    assert ("content-encoding" in head) is packed


def _sent(
    messages: Sequence[Message], kind: bytes, accepts: bytes = b"gzip"
) -> list[list[Message]]:
    """Return what goes out after each message of an app, through the middleware."""
    out: list[list[Message]] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        headers = [(b"content-type", kind), (b"etag", b'"1"')]
        for each in ({"type": "http.response.start", "status": 200,
                      "headers": headers}, *messages):  # fmt: skip
            out.append([])
            await send(each)

    async def send(message: Message) -> None:
        out[-1].append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    scope: Scope = {
        "type": "http",
        "method": "GET",
        "headers": [(b"accept-encoding", accepts)],
    }
    asyncio.run(Compression(app)(scope, receive, send))
    return out


def _pieces(*bodies: bytes) -> list[Message]:
    last = len(bodies) - 1
    return [
        {"type": "http.response.body", "body": body, "more_body": place < last}
        for place, body in enumerate(bodies)
    ]


def test_an_event_goes_out_at_once_and_as_it_is() -> None:
    events = _pieces(b"data: 1\n\n", b": still here\n\n", b"")

    head, *bodies = _sent(events, b"text/event-stream")

    assert len(head) == 1  # before the first event
    assert bodies == [[each] for each in events]


def test_a_long_file_goes_out_in_pieces_while_it_is_written() -> None:
    noise = [Random(number).randbytes(100_000) for number in range(6)]

    out = _sent(_pieces(*noise, b""), b"text/csv; charset=utf-8")

    sizes = [sum(len(each.get("body", b"")) for each in step) for step in out]
    assert sum(1 for size in sizes if size) > 4  # nothing waits for the end
    body = b"".join(each.get("body", b"") for step in out for each in step)
    assert gzip.decompress(body) == b"".join(noise)
    assert not any(name == b"content-length" for name, _ in out[1][0]["headers"])


def test_a_strong_tag_becomes_weak_when_the_bytes_change() -> None:
    whole = _pieces(b"x" * MIN_BYTES)

    packed = dict(_sent(whole, b"text/css")[1][0]["headers"])
    plain = dict(_sent(whole, b"text/css", b"identity")[0][0]["headers"])

    assert packed[b"etag"] == b'W/"1"'
    assert plain[b"etag"] == b'"1"'


def test_a_body_below_the_limit_is_sent_as_it_is() -> None:
    whole = _pieces(b"x" * (MIN_BYTES - 1))

    head, body = _sent(whole, b"text/css")[1]

    assert b"content-encoding" not in dict(head["headers"])
    assert body["body"] == whole[0]["body"]
