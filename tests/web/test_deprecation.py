"""A deprecated endpoint works as before, and says until when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, FastAPI, Query
from fastapi.responses import Response
from fastapi.testclient import TestClient

from ustory.web.deprecation import Deprecation, deprecated_route
from ustory.web.errors import ApiError, install_errors

OLD = Deprecation(
    since=datetime(2027, 1, 31, tzinfo=UTC),
    sunset=datetime(2027, 9, 30, 12, tzinfo=UTC),
    link="https://docs.example/changes#old",
)
PART = Deprecation(
    since=OLD.since, sunset=OLD.sunset, link=OLD.link, parameters=frozenset({"old"})
)
TOLD = {
    "deprecation": "@1801353600",
    "sunset": "Thu, 30 Sep 2027 12:00:00 GMT",
    "link": '<https://docs.example/changes#old>; type="text/html"; rel="deprecation", '
    '<https://docs.example/changes#old>; type="text/html"; rel="sunset"',
}


def _client() -> TestClient:
    whole = APIRouter(prefix="/api", route_class=deprecated_route(OLD))
    part = APIRouter(prefix="/api", route_class=deprecated_route(PART))

    @whole.get("/value")
    def value() -> dict[str, int]:
        return {"a": 1}

    @whole.get("/answer")
    def answer() -> Response:
        return Response("plain")

    @whole.get("/refusal")
    def refusal() -> None:
        raise ApiError(404, "there is none", headers={"Retry-After": "2"})

    @part.get("/part")
    def some(
        new: int = 1, old: Annotated[int | None, Query(deprecated=True)] = None
    ) -> int:
        return old or new

    app = FastAPI()
    install_errors(app)
    app.include_router(whole)
    app.include_router(part)
    return TestClient(app)


def test_every_answer_says_since_when_until_when_and_what_instead() -> None:
    client = _client()

    for path, status in (("value", 200), ("answer", 200), ("refusal", 404)):
        answer = client.get(f"/api/{path}")
        assert answer.status_code == status
        assert {name: answer.headers[name] for name in TOLD} == TOLD
    assert client.get("/api/value").json() == {"a": 1}
    assert client.get("/api/refusal").headers["retry-after"] == "2"


def test_a_deprecated_parameter_is_announced_to_those_who_use_it() -> None:
    client = _client()

    assert "deprecation" not in client.get("/api/part?new=2").headers
    used = client.get("/api/part?old=3")
    assert (used.json(), used.headers["deprecation"]) == (3, TOLD["deprecation"])


def test_the_openapi_document_marks_what_is_deprecated() -> None:
    paths = _client().get("/openapi.json").json()["paths"]

    assert paths["/api/value"]["get"]["deprecated"] is True
    part = paths["/api/part"]["get"]
    assert "deprecated" not in part
    marked = {each["name"]: each.get("deprecated") for each in part["parameters"]}
    assert marked == {"new": None, "old": True}
