"""The API answers the same from PostgreSQL as from SQLite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.postgres import PostgresServer
from tests.web.conftest import WRITER, fill, get, open_service
from ustory.web.app import create_app

SAME = [
    "/api/stories", "/api/stories?sort=size&limit=5", "/api/stories?sort=new",
    "/api/stories?q=earthquake", "/api/stories?keyword=solenne&lang=en",
    "/api/stories?source=Continental+Wire&since=2024-03-08", "/api/stories/s000001",
    "/api/stories/s000001/timeline", "/api/changes?since=2024-03-09&limit=10",
    "/api/articles?q=tsunami+advisory", "/api/articles/a-0035",
    "/api/articles/a-0035/explanation", "/api/export/stories",
    "/api/export/articles?format=csv", "/api/export/events", "/api/stories.json",
]  # fmt: skip


@pytest.fixture(scope="module")
def served(postgres: PostgresServer) -> Iterator[TestClient]:
    """Return a client of a service over PostgreSQL with the demo stream."""
    address = postgres.migrated()
    service = open_service(address)
    fill(service)
    with TestClient(create_app(service)) as client:
        yield client
    service.store.close()
    postgres.give_back(address)


@pytest.mark.parametrize("path", SAME)
def test_both_databases_answer_alike(
    reader: TestClient, served: TestClient, path: str
) -> None:
    here, there = reader.get(path), served.get(path)

    assert here.status_code == there.status_code == 200
    assert here.text == there.text


def test_pages_go_on_in_postgresql_too(reader: TestClient, served: TestClient) -> None:
    cursor = get(served, "/api/stories", limit=2)["next"]

    page = {"limit": 2, "cursor": cursor}
    assert get(served, "/api/stories", **page) == get(reader, "/api/stories", **page)


def test_odd_text_is_no_error_of_postgresql(served: TestClient) -> None:
    for odd in ("a\u0000b", "'", '"', "(", "🙂", "%", "\\"):
        for path in ("/api/articles", "/api/stories"):
            assert served.get(path, params={"q": odd}).status_code == 200
        sent = {"title": f"Odd {odd}", "id": f"odd-{odd}", "source": odd}
        answer = served.post("/api/articles", json=sent, headers=WRITER)
        assert answer.json()["receipts"][0]["outcome"] in ("new", "known")
