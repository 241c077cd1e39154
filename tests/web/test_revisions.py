"""Texts of an article are bounded, and nobody reads more of them than they ask for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, select

from tests.web.conftest import (
    GENEROUS,
    KEY,
    WRITER,
    get,
    open_service,
    the_service,
)
from ustory.service.backpressure import Full
from ustory.service.intake import IntakeLimits
from ustory.service.verify import replay
from ustory.store.tables import revisions
from ustory.store.upkeep import check
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.service import Rules


def _sent(client: TestClient, number: int, size: int = 50) -> dict[str, Any]:
    body = {
        "id": "live",
        "title": f"Title {number}",
        "text": f"{number} " * size,
        "url": "https://a.example/live",
        "published_at": "2024-03-17T22:24:00Z",
    }
    answer = client.post("/api/articles", json=body, headers=WRITER)
    assert answer.status_code == 200, answer.text
    receipt: dict[str, Any] = answer.json()["receipts"][0]
    return receipt


def test_the_revisions_of_an_article_are_pages_without_texts(
    client: TestClient,
) -> None:
    path = "/api/articles/live/revisions"
    for number in range(120):
        _sent(client, number)
    first = get(client, path, limit=100)
    second = get(client, path, limit=100, before=first["next"])
    detail = get(client, "/api/articles/live")

    assert [r["number"] for r in first["revisions"]] == list(range(120, 20, -1))
    assert [r["number"] for r in second["revisions"]] == list(range(20, 0, -1))
    assert (first["next"], second["next"]) == (21, None)
    assert "text" not in first["revisions"][0]
    assert detail["text"].startswith("119 ")
    assert [r["number"] for r in detail["revisions"]] == list(range(71, 121))
    assert "119 changes by its publisher" in client.get("/articles/live").text


def test_reading_an_article_reads_one_text_of_it(client: TestClient) -> None:
    for number in range(10):
        _sent(client, number, 50_000)
    read = 0

    def counted(text: bytes) -> str:
        nonlocal read
        read += len(text)
        return text.decode()

    engine = the_service(client).store.engine
    engine.dispose()

    @event.listens_for(engine, "connect")
    def count(connection: Any, record: object) -> None:  # noqa: ANN401 - a driver's own
        del record
        connection.text_factory = counted

    for path in ("/api/articles/live", "/articles/live"):
        read = 0
        assert client.get(path).status_code == 200
        assert 0 < read < 250_000, f"{path} read {read:,} bytes"


def test_old_texts_are_let_go_and_slides_can_be_told_again(client: TestClient) -> None:
    service = the_service(client)
    for number in range(15):
        _sent(client, number)
    service.loop.finish()  # its slide has read number 15
    for number in range(15, 60):
        _sent(client, number)
    with service.store.read() as connection:
        query = select(revisions.c.number, revisions.c.text, revisions.c.title)
        rows = connection.execute(query.where(revisions.c.article == "live")).all()
    texts = [row.number for row in rows if row.text is not None]
    service.loop.finish()

    assert len(rows) == 60
    assert texts == [15, *range(41, 61)]
    assert all(row.title for row in rows)
    assert list(check(service.store)) == []
    assert list(replay(service.store).problems) == []


def test_an_article_is_not_changed_without_end(client: TestClient) -> None:
    intake = the_service(client).intake
    intake.limits = IntakeLimits(revisions=5)
    receipts = [_sent(client, number) for number in range(7)]

    assert [r["outcome"] for r in receipts] == [
        "new",
        *["edited"] * 4,
        *["refused"] * 2,
    ]
    assert "changed 5 times" in receipts[-1]["reason"]
    assert get(client, "/api/articles/live")["text"].startswith("4 ")


def test_a_service_that_holds_too_much_memory_takes_nothing_in(database: Path) -> None:
    limits = replace(GENEROUS, memory=1_000_000)
    service = open_service(database, Rules(keys=Keys.of([KEY]), limits=limits))
    with TestClient(create_app(service)) as client:
        article = {"title": "A quake in Kestrel Bay"}
        sent = client.post("/api/articles", json=article, headers=WRITER)
        matched = client.post("/api/match", json=article)
        read = client.get("/api/stories")
        with pytest.raises(Full, match="its limit is 1 MB"):
            service.intake.accept([], "a feed")
    service.store.close()

    for answer in (sent, matched):
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "30"
        assert answer.json()["error"]["kind"] == "unavailable"
    assert read.status_code == 200


def test_a_text_to_match_has_a_limit(client: TestClient) -> None:
    longest = the_service(client).rules.limits.match
    fits = client.post("/api/match", json={"text": "a quake. " * (longest // 9)})
    too_long = client.post("/api/match", json={"text": "x" * (longest + 1)})

    assert fits.status_code == 200
    assert too_long.status_code == 413
