"""Watchlists can be kept, and what they find is told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import WRITER, get, the_service
from ustory.store.watchlists import due_deliveries

ATOM = "{http://www.w3.org/2005/Atom}"


def _make(client: TestClient, **wanted: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    body = {"name": "Votes", "keywords": ["solenne"], **wanted}
    answer = client.post("/api/watchlists", json=body, headers=WRITER)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def _slide(client: TestClient) -> None:
    """Let a slide be done: an article comes in, and the day is over."""
    article = {"title": "Nothing much", "published_at": "2024-03-18T01:00:00Z"}
    assert client.post("/api/articles", json=article, headers=WRITER).status_code == 200
    the_service(client).loop.finish()


def test_a_watchlist_is_made_read_changed_and_removed(client: TestClient) -> None:
    made = _make(client)
    path = f"/api/watchlists/{made['id']}"

    assert get(client, path) == {k: v for k, v in made.items() if k != "secret"}
    changed = client.put(
        path, json={"name": "New", "example": "A text."}, headers=WRITER
    )
    assert changed.status_code == 200
    assert get(client, "/api/watchlists")["watchlists"][0]["name"] == "New"
    assert client.delete(path, headers=WRITER).status_code == 204
    for call in (client.get(path), client.delete(path, headers=WRITER)):
        assert call.status_code == 404


def test_the_secret_of_a_webhook_is_told_once_and_its_path_never(
    client: TestClient,
) -> None:
    hook = "https://hooks.example/services/T0/secret-path"
    made = _make(client, webhook=hook)

    assert len(made["secret"]) >= 40
    told = (
        client.get("/api/watchlists").text
        + client.get(f"/api/watchlists/{made['id']}").text
    )
    assert made["secret"] not in told
    assert "secret-path" not in told
    assert made["webhook"] == "https://hooks.example/…"


def test_a_changed_webhook_has_a_new_secret(client: TestClient) -> None:
    made = _make(client, webhook="https://hooks.example/a")
    path = f"/api/watchlists/{made['id']}"
    body = {"name": "Votes", "keywords": ["solenne"]}

    same = client.put(
        path, json={**body, "webhook": "https://hooks.example/a"}, headers=WRITER
    )
    other = client.put(
        path, json={**body, "webhook": "https://hooks.example/b"}, headers=WRITER
    )

    assert same.json()["secret"] is None
    assert other.json()["secret"] not in (None, made["secret"])


def test_the_format_of_messages_is_chosen_and_kept(client: TestClient) -> None:
    hook = "https://hooks.example/a"
    new, old = _make(client), _make(client, webhook=hook, webhook_format="plain")
    path = f"/api/watchlists/{old['id']}"
    body = {"name": "Votes", "keywords": ["solenne"], "webhook": hook}

    kept = client.put(path, json=body, headers=WRITER).json()
    changed = client.put(
        path, json={**body, "webhook_format": "cloudevents"}, headers=WRITER
    ).json()
    wrong = client.put(path, json={**body, "webhook_format": "xml"}, headers=WRITER)

    formats = [each["webhook_format"] for each in (new, old, kept, changed)]
    assert formats == ["cloudevents", "plain", "plain", "cloudevents"]
    assert get(client, path)["webhook_format"] == "cloudevents"
    assert wrong.status_code == 422


def test_messages_that_wait_stay_as_they_were_written(client: TestClient) -> None:
    hook = "https://hooks.example/a"
    made = _make(client, webhook=hook, webhook_format="plain")
    _slide(client)
    body = {"name": "V", "keywords": ["x"], "webhook_format": "cloudevents"}
    path = f"/api/watchlists/{made['id']}"
    client.put(path, json={**body, "webhook": f"{hook}/b"}, headers=WRITER)

    with the_service(client).store.read() as connection:
        waiting = due_deliveries(connection, datetime(2100, 1, 1, tzinfo=UTC))
    assert waiting
    assert {each.url for each in waiting} == {f"{hook}/b"}
    assert all(each.body["kind"] == "match" for each in waiting)


@pytest.mark.parametrize(
    "hook",
    ["http://127.0.0.1/", "http://10.0.0.1/x", "http://169.254.169.254/latest",
     "ftp://a.example/", "javascript:alert(1)", "https://a b/", "//a.example/"],
)  # fmt: skip
def test_a_webhook_that_is_not_of_the_public_web_is_refused(
    reader: TestClient, hook: str
) -> None:
    body = {"name": "a", "keywords": ["b"], "webhook": hook}

    answer = reader.post("/api/watchlists", json=body, headers=WRITER)

    assert answer.status_code == 422


@pytest.mark.parametrize(
    "body",
    [{"name": "a"}, {"name": "a", "keywords": []}, {"name": "", "keywords": ["b"]},
     {"name": "a", "keywords": [" "]}, {"name": "a", "keywords": ["b"], "x": 1}],
)  # fmt: skip
def test_a_watchlist_that_asks_for_nothing_is_refused(
    reader: TestClient, body: object
) -> None:
    assert reader.post("/api/watchlists", json=body, headers=WRITER).status_code == 422


def test_what_a_watchlist_finds_is_listed_and_fed(client: TestClient) -> None:
    made = _make(client)
    _slide(client)
    path = f"/api/watchlists/{made['id']}"

    matches = get(client, f"{path}/matches")["matches"]
    feed = client.get(f"{path}/matches.atom")

    assert matches
    assert all("solenne" in str(match["story"]).lower() for match in matches)
    assert feed.headers["content-type"].startswith("application/atom+xml")
    entries = ElementTree.fromstring(feed.content).findall(f"{ATOM}entry/{ATOM}title")
    assert [e.text for e in entries] == [m["story"]["headline"] for m in matches]


def test_matches_come_in_pages(client: TestClient) -> None:
    made = _make(client, keywords=["solenne", "earthquake", "fenwater", "trial"])
    _slide(client)
    path = f"/api/watchlists/{made['id']}/matches"
    whole = get(client, path)["matches"]

    first = get(client, path, limit=1)
    second = get(client, path, limit=1, before=first["next"])

    assert len(whole) >= 2
    assert [*first["matches"], *second["matches"]] == whole[:2]


def test_a_watchlist_nobody_made_is_not_found(reader: TestClient) -> None:
    for path in ("", "/matches", "/matches.atom", "/matches.json"):
        assert reader.get(f"/api/watchlists/none{path}").status_code == 404
