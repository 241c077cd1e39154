"""What has not changed is not sent again."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import GENEROUS, KEY, WRITER, open_service
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.service import Rules

TAGGED = ["/api/stories", "/api/map", "/api/timeline", "/api/stories.atom",
          "/api/stories.json", "/api/openapi.json", "/", "/map", "/static/js/core.js",
          "/static/plotly.min.js"]  # fmt: skip


@pytest.mark.parametrize("path", TAGGED)
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_what_the_caller_has_is_not_sent_again(
    reader: TestClient, path: str, encoding: str
) -> None:
    accepts = {"Accept-Encoding": encoding}
    first = reader.get(path, headers=accepts)
    tag = first.headers["etag"]

    again = reader.get(path, headers={**accepts, "If-None-Match": tag})
    several = f'"x", {tag.removeprefix("W/")}'
    strong = reader.get(path, headers={**accepts, "If-None-Match": several})
    other = reader.get(path, headers={**accepts, "If-None-Match": '"x"'})

    assert (first.status_code, again.status_code) == (200, 304)
    assert (strong.status_code, other.status_code) == (304, 200)
    assert again.content == b""
    assert again.headers["etag"] == tag
    assert again.headers["cache-control"] == first.headers["cache-control"]
    assert again.headers["vary"] == first.headers["vary"]
    policy = "content-security-policy"
    assert again.headers[policy] == first.headers[policy]
    assert not {"content-type", "content-encoding"} & set(again.headers)


def test_a_tag_is_the_same_packed_or_not(reader: TestClient) -> None:
    packed = reader.get("/api/stories", headers={"Accept-Encoding": "gzip"})
    plain = reader.get("/api/stories", headers={"Accept-Encoding": "identity"})

    assert packed.headers["etag"] == plain.headers["etag"]
    assert packed.headers["etag"].startswith('W/"')


def test_a_change_has_another_tag(client: TestClient) -> None:
    before = client.get("/api/feeds").headers["etag"]
    given = {"url": "https://one.example/rss"}
    assert client.post("/api/feeds", json=given, headers=WRITER).status_code == 201

    after = client.get("/api/feeds", headers={"If-None-Match": before})

    assert after.status_code == 200
    assert after.json()["feeds"]


@pytest.mark.parametrize(
    "path", ["/api/export/stories", "/api/events?after=0&limit=1", "/api/stories/none"]
)
def test_streams_and_errors_have_no_tag(reader: TestClient, path: str) -> None:
    assert "etag" not in reader.get(path).headers


def test_a_private_service_is_kept_by_nobody_in_between(database: Path) -> None:
    rules = Rules(keys=Keys.of([KEY]), private=True, limits=GENEROUS)
    service = open_service(database, rules)
    with TestClient(create_app(service)) as client:
        refused = client.get("/api/stories", headers={"If-None-Match": "*"})
        allowed = client.get("/api/stories", headers=WRITER)
        page = client.get("/", headers=WRITER)
        tag = {"If-None-Match": allowed.headers["etag"], **WRITER}
        again = client.get("/api/stories", headers=tag)
    service.store.close()

    assert refused.status_code == 401
    assert (allowed.status_code, again.status_code) == (200, 304)
    for each in (allowed, page, again):
        assert each.headers["cache-control"] == "private, no-cache"


def test_anybody_may_keep_a_public_answer_and_asks_again(reader: TestClient) -> None:
    assert reader.get("/api/stories").headers["cache-control"] == "no-cache"
