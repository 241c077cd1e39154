"""Every address of the API refuses a parameter it does not have; pages ignore it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from starlette.routing import BaseRoute

from tests.web.conftest import WRITER, get, open_service
from ustory.web.app import create_app
from ustory.web.parameters import parameter_names

UNKNOWN = "utm_source"
_IDS = {
    "{story}": "s000001", "{watchlist}": "none",
    "{feed}": "0123456789abcdef", "{article:path}": "a-0001",
    "{name:path}": "js/core.js",
}  # fmt: skip
_NOT_THERE = {"/watch/none"}
"""Pages of things that the demo stream does not have."""
_NEEDS = {"/zone"}
"""Addresses that need a parameter, and are asked without it here."""


def _walk(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    for route in routes:
        inside = getattr(route, "original_router", None)
        yield from [route] if inside is None else _walk(inside.routes)


def _calls() -> list[tuple[str, str]]:
    """Return method and address of every route of the app."""
    with TemporaryDirectory() as folder:
        service = open_service(Path(folder) / "empty.db")
        app = create_app(service)
        service.store.close()
    found = []
    for route in _walk(app.routes):
        path = str(getattr(route, "path", ""))
        for pattern, name in _IDS.items():
            path = path.replace(pattern, name)
        assert "{" not in path, f"give {path} an example in _IDS"
        methods = sorted(getattr(route, "methods", None) or ["GET"])
        found += [(method, path) for method in methods if method != "HEAD"]
    return found


CALLS = _calls()
API = [call for call in CALLS if call[1].startswith("/api/")]
PROBES = ("/static", "/healthz", "/readyz", "/metrics")
PAGES = [path for _, path in CALLS if not path.startswith(("/api/", *PROBES))]


def test_all_routes_are_asked() -> None:
    assert len(API) > 35
    assert {"/", "/timeline", "/map", "/stories/s000001"} <= set(PAGES)
    assert ("GET", "/api/openapi.json") in API


@pytest.mark.parametrize(("method", "path"), API)
def test_the_api_refuses_a_parameter_it_does_not_have(
    reader: TestClient, method: str, path: str
) -> None:
    answer = reader.request(method, path, params={UNKNOWN: "x"}, headers=WRITER)

    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert error["kind"] == "bad_request"
    assert f"no parameter {UNKNOWN}; " in error["message"]
    assert error["details"][0]["where"] == f"query.{UNKNOWN}"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_ignores_a_parameter_it_does_not_have(
    reader: TestClient, path: str
) -> None:
    plain = reader.get(path, follow_redirects=False)
    answer = reader.get(path, params={UNKNOWN: "x"}, follow_redirects=False)

    assert answer.status_code == plain.status_code
    expected = 404 if path in _NOT_THERE else 400 if path in _NEEDS else 200
    assert answer.status_code in (expected, 303)


def test_the_refusal_names_the_parameters_there_are(reader: TestClient) -> None:
    answer = reader.get("/api/stories", params={"source_": "Vox", "lang": "en"})

    message = answer.json()["error"]["message"]
    assert message.startswith("this address has no parameter source_; those it has are")
    assert "source," in message
    assert "it has none" in reader.get("/api/watchlists?a=1").json()["error"]["message"]


def test_the_known_parameters_are_those_of_the_openapi_document(
    reader: TestClient,
) -> None:
    documented: dict[str, Any] = get(reader, "/api/openapi.json")["paths"]
    app: Any = reader.app

    seen = 0
    for route in _walk(app.routes):
        if not isinstance(route, APIRoute) or not route.include_in_schema:
            continue
        (method,) = sorted(route.methods or {})
        said = documented[route.path_format][method.lower()].get("parameters", [])
        names = [each["name"] for each in said if each["in"] == "query"]
        assert parameter_names(route) == sorted(names), route.path
        seen += bool(names)
    assert seen > 10


def test_a_strange_parameter_is_named_in_printable_characters(
    reader: TestClient,
) -> None:
    answer = reader.get("/api/map", params={"\x1b[31m" + "a" * 500: "1"})

    message = answer.json()["error"]["message"]
    assert message.isprintable()
    assert len(message) < 200


def test_with_parameters_of_another_address_it_is_that_address(
    reader: TestClient,
) -> None:
    answer = reader.delete("/api/articles/x/revisions?limit=5", headers=WRITER)

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    assert reader.delete("/api/articles/x?limit=5", headers=WRITER).status_code == 400


BAD_VALUES = [
    "/timeline?days=abc", "/timeline?days=0", "/timeline?zoom=year",
    "/timeline?until=yesterday", "/?within=9y", "/?sort=colour", "/?since=tomorrow",
    "/?status=dead", "/stories/s000001?by=colour", "/stories/s000001?cursor=%2F",
    "/stories/s000001?from=%3Cscript%3E", "/sources?start=-1", "/watch?start=x",
    "/watch/none?before=0",
]  # fmt: skip


@pytest.mark.parametrize("path", BAD_VALUES)
def test_a_value_that_a_page_does_not_have_gives_a_polite_page(
    reader: TestClient, path: str
) -> None:
    answer = reader.get(path)

    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("text/html")
    assert "This cannot be shown" in answer.text
    assert "<script>" not in answer.text.partition("<main")[2]
    address = path.partition("?")[0]
    if address != "/":
        assert f'href="{address}">See the page without this' in answer.text


def test_the_page_says_what_the_value_should_be(reader: TestClient) -> None:
    said = reader.get("/timeline?days=abc").text

    assert "The address asks for days=abc, which this page does not have. " in said
    assert "It should be a valid integer." in said
