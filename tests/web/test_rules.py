"""Who may do what, how often, and what they are told when they may not."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.types import ASGIApp, Message

from tests.web.conftest import GENEROUS, KEY, WRITER, open_service, the_service
from ustory.store.errors import Unavailable
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.limits import Rate
from ustory.web.security import HEADERS
from ustory.web.service import Rules

LOGIN = f"Basic {b64encode(f'me:{KEY}'.encode()).decode()}"
WRITES = [
    ("POST", "/api/articles"), ("POST", "/api/watchlists"), ("POST", "/api/feeds"),
    ("PUT", "/api/watchlists/w1"), ("DELETE", "/api/watchlists/w1"),
    ("DELETE", "/api/feeds?url=http://a.example/"), ("POST", "/api/feeds.opml"),
]  # fmt: skip


def _is_error(answer: Any, kind: str) -> bool:  # noqa: ANN401 - a response
    body = answer.json()
    return set(body) == {"error"} and (
        set(body["error"]) == {"kind", "message", "details"}
        and body["error"]["kind"] == kind
    )


@pytest.mark.parametrize(("method", "path"), WRITES)
@pytest.mark.parametrize("key", [None, "Bearer wrong", f"Basic {KEY}", "Bearer "])
def test_nothing_is_written_without_a_key(
    reader: TestClient, method: str, path: str, key: str | None
) -> None:
    headers = {} if key is None else {"Authorization": key}

    answer = reader.request(method, path, headers=headers, json={"title": "a"})

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert _is_error(answer, "unauthorized")


def test_every_endpoint_that_is_not_a_read_needs_a_key(reader: TestClient) -> None:
    document = reader.get("/api/openapi.json").json()
    open_ones = [
        (method, path)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method != "get" and "security" not in operation
    ]

    assert open_ones == [("post", "/api/match")]


def test_a_private_service_wants_a_key_for_reading_too(database: Path) -> None:
    rules = Rules(keys=Keys.of([KEY]), private=True, limits=GENEROUS)
    service = open_service(database, rules)
    with TestClient(create_app(service)) as client:
        document = client.get("/api/openapi.json", headers=WRITER).json()
        paths = document["paths"]
        reads = [
            path.replace("{story}", "s1").replace("{kind}", "stories")
            for path in paths
            if "get" in paths[path]
        ]
        reads += ["/api/openapi.json", "/", "/sources", "/static/plotly.min.js", "/x"]
        refused = {path: client.get(path).status_code for path in reads}
        alive = client.get("/healthz").json()
        allowed = client.get("/api/stories", headers=WRITER).status_code
    service.store.close()

    assert {path for path, status in refused.items() if status != 401} == {"/healthz"}
    assert alive == {"status": "ok", "version": None}
    assert allowed == 200
    asked = [path for path in paths if "get" in paths[path]]
    silent = [path for path in asked if "security" not in paths[path]["get"]]
    assert silent == ["/healthz"]


def test_who_asks_too_often_is_told_when_to_come_back(database: Path) -> None:
    now = 0.0
    limits = replace(GENEROUS, reads=Rate(burst=2, per_second=0.5))
    rules = Rules(keys=Keys.of([KEY]), limits=limits, seconds=lambda: now)
    service = open_service(database, rules)
    with TestClient(create_app(service)) as client:
        statuses = [client.get("/api/feeds").status_code for _ in range(3)]
        refused = client.get("/api/feeds")
        with_key = client.get("/api/feeds", headers=WRITER).status_code
        free = [client.get("/healthz").status_code for _ in range(5)]
        now = 2.0
        later = client.get("/api/feeds").status_code
    service.store.close()

    assert statuses == [200, 200, 429]
    assert refused.headers["retry-after"] == "2"
    assert _is_error(refused, "too_many_requests")
    assert (with_key, later) == (200, 200)
    assert set(free) == {200}


@pytest.mark.parametrize(
    ("method", "path", "status", "kind"),
    [("GET", "/nowhere", 404, "not_found"), ("GET", "/api/", 404, "not_found"),
     ("PATCH", "/api/stories", 405, "method_not_allowed"),
     ("GET", "/api/stories?limit=x", 422, "invalid"),
     ("GET", "/api/stories?limit=0", 422, "invalid"),
     ("GET", "/api/events?after=-1", 422, "invalid")],
)  # fmt: skip
def test_every_refusal_has_the_one_shape(
    reader: TestClient, method: str, path: str, status: int, kind: str
) -> None:
    answer = reader.request(method, path)

    assert answer.status_code == status
    assert _is_error(answer, kind)


def test_a_refused_method_names_all_that_are_allowed(reader: TestClient) -> None:
    answer = reader.patch("/api/watchlists/w1")

    assert answer.headers["allow"] == "DELETE, GET, PUT"


def test_methods_of_an_id_with_slashes_are_not_those_of_what_is_behind_it(
    reader: TestClient,
) -> None:
    allowed = {
        path: reader.options(f"/api/articles/{path}").headers["Allow"]
        for path in ("a", "a/b", "a/set-aside", "a/explanation")
    }

    assert allowed["a"] == allowed["a/b"]
    assert "GET" in allowed["a"]
    assert "GET" not in allowed["a/set-aside"]
    assert allowed["a/explanation"] == "GET"


def test_a_body_that_is_no_json_is_refused_without_a_traceback(
    reader: TestClient,
) -> None:
    for body in (b"{", b"\xff\xfe", b"[" * 100_000, b'{"title": NaN}', b""):
        answer = reader.post(
            "/api/match", content=body, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code in (400, 422), body[:10]
        assert set(answer.json()["error"]) == {"kind", "message", "details"}
        assert "Traceback" not in answer.text


def _broken(app: FastAPI, error: Exception) -> TestClient:
    @app.get("/broken")
    def broken() -> None:
        raise error

    return TestClient(app, raise_server_exceptions=False)


def test_a_bug_is_answered_without_a_word_about_the_inside(database: Path) -> None:
    service = open_service(database)
    client = _broken(create_app(service), RuntimeError("secret /etc/inside"))

    answer = client.get("/broken")

    assert answer.status_code == 500
    assert _is_error(answer, "internal")
    assert "secret" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    service.store.close()


def test_a_database_that_is_away_is_503_and_names_no_address(database: Path) -> None:
    service = open_service(database)
    error = Unavailable("gone", "postgresql://user@db.inside/x cannot be reached")
    client = _broken(create_app(service), error)

    answer = client.get("/broken")

    assert answer.status_code == 503
    assert _is_error(answer, "unavailable")
    assert "db.inside" not in answer.text
    assert int(answer.headers["retry-after"]) > 0
    service.store.close()


def test_every_answer_has_the_headers_that_browsers_heed(reader: TestClient) -> None:
    for path in ("/api/stories", "/nowhere", "/healthz", "/api/stories.atom"):
        answer = reader.get(path)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert answer.headers["content-security-policy"].startswith(
            "default-src 'none'"
        )


def test_requests_are_counted_by_route_and_not_by_what_was_asked(
    reader: TestClient,
) -> None:
    reader.get("/api/stories/s424242")
    reader.get("/made/up/path")

    text = reader.get("/metrics").text

    assert 'path="/api/stories/{story}",status="404"' in text
    assert "s424242" not in text
    assert "made/up" not in text


def test_the_numbers_for_prometheus_can_be_read(reader: TestClient) -> None:
    parser = pytest.importorskip("prometheus_client.parser")
    answer = reader.get("/metrics")

    families = {f.name: f for f in parser.text_string_to_metric_families(answer.text)}

    assert answer.headers["content-type"].startswith("text/plain")
    assert families["ustory_stories"].samples[0].value > 0
    assert families["ustory_slides_done"].samples[0].value > 10
    assert families["ustory_loop_ok"].samples[0].value == 1


def test_two_services_in_one_process_do_not_share_their_numbers(
    reader: TestClient, client: TestClient
) -> None:
    reader.get("/api/feeds")

    assert 'path="/api/feeds"' in reader.get("/metrics").text
    assert 'path="/api/feeds"' not in client.get("/metrics").text


def test_a_service_that_works_is_ready(reader: TestClient) -> None:
    ready = reader.get("/readyz")

    assert ready.status_code == 200
    assert ready.json()["behind"] == 0
    assert ready.json()["slide_end"].startswith("2024-03-1")


def test_a_service_whose_loop_is_in_trouble_is_not_ready(client: TestClient) -> None:
    service = the_service(client)
    service._stop.set()
    service._threads["loop"].join(10)

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["status"] == "not ready"
    assert answer.json()["problem"]


def test_every_answer_in_the_document_has_an_example(reader: TestClient) -> None:
    document = reader.get("/api/openapi.json").json()
    missing = [
        f"{method} {path} {status} {media}"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        for status, response in operation["responses"].items()
        for media, content in response.get("content", {}).items()
        if "example" not in content and "examples" not in content
    ]
    bodies = [
        f"{method} {path}"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        for content in operation.get("requestBody", {}).get("content", {}).values()
        if not ({"example", "examples"} & {*content, *content["schema"]})
    ]

    assert missing == []
    assert bodies == []


def test_every_endpoint_says_what_it_does(reader: TestClient) -> None:
    document = reader.get("/api/openapi.json").json()
    silent = [
        f"{method} {path}"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if not operation.get("description")
    ]

    assert silent == []
    assert len(document["paths"]) >= 24
    assert json.dumps(document).count("HTTPValidationError") == 0


def test_made_up_methods_are_counted_as_one_and_have_a_rate(database: Path) -> None:
    limits = replace(GENEROUS, writes=Rate(burst=20, per_second=0.1))
    rules = Rules(keys=Keys.of([KEY]), limits=limits, seconds=lambda: 0.0)
    service = open_service(database, rules)
    with TestClient(create_app(service)) as client:
        statuses = [
            client.request(f"{'M' * 50}{number}", "/healthz").status_code
            for number in range(30)
        ]
        text = client.get("/metrics").text
    service.store.close()

    assert statuses == [405] * 20 + [429] * 10
    assert "MMM" not in text
    assert 'method="(other)",path="/healthz",status="405"' in text


def _read_of(app: ASGIApp, path: str, key: str | None, size: int) -> tuple[int, int]:
    """Send a body piece by piece; return the status and the bytes that were read."""
    pieces = [b'{"title": "', *(b"x" * 1_000 for _ in range(size // 1_000)), b'"}']
    read = 0
    statuses: list[int] = []
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    if key is not None:
        headers.append((b"authorization", key.encode()))

    async def receive() -> Message:
        nonlocal read
        piece = pieces.pop(0)
        read += len(piece)
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(int(message["status"]))

    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "path": path,
        "raw_path": path.encode(), "query_string": b"", "headers": headers,
        "scheme": "http", "client": ("127.0.0.1", 1), "server": ("localhost", 80),
        "root_path": "",
    }  # fmt: skip

    async def asked() -> None:
        await app(scope, receive, send)

    asyncio.run(asked())
    return statuses[0], read


@pytest.mark.parametrize("key", [None, "Bearer wrong", LOGIN])
@pytest.mark.parametrize("path", ["/api/articles", "/api/feeds.opml", "/nowhere"])
def test_a_body_is_not_read_whose_sender_may_not_write(
    reader: TestClient, path: str, key: str | None
) -> None:
    status, read = _read_of(reader.app, path, key, 50_000)

    assert (status, read) == (404 if path == "/nowhere" else 401, 0)


def test_a_text_to_match_without_a_key_has_a_smaller_body(database: Path) -> None:
    limits = replace(GENEROUS, match=1_000)
    service = open_service(database, Rules(keys=Keys.of([KEY]), limits=limits))
    app = create_app(service)
    refused, read = _read_of(app, "/api/match", None, 100_000)
    _, whole = _read_of(app, "/api/match", f"Bearer {KEY}", 100_000)
    service.store.close()

    assert refused == 413
    assert read <= 8 * 1_000 + 1_000
    assert whole > 100_000
