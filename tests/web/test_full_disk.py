"""Clients are told why the database cannot be used, and may still read."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.service.test_survival import pages_of, pragma
from tests.web.conftest import WRITER
from ustory.store import Unavailable
from ustory.web.app import create_app
from ustory.web.errors import NO_DATABASE
from ustory.web.service import Service

LARGE = {"title": "A flood", "text": "rain " * 100_000}


@pytest.fixture
def client(service: Service) -> TestClient:
    """Return a client of a service whose threads do not run."""
    service.loop.start()
    return TestClient(create_app(service), headers=WRITER)


def test_a_full_disk_is_told_as_a_full_disk(
    service: Service, client: TestClient
) -> None:
    with pragma(service.store, f"max_page_count={pages_of(service.store)}"):
        answer = client.post("/api/articles", json=LARGE)
        assert answer.status_code == 503
        error = answer.json()["error"]
        assert error["kind"] == "unavailable"
        assert error["details"] == {"reason": "full"}
        assert "disk of the database is full" in error["message"]
        assert "nothing was written" in error["message"]
        assert int(answer.headers["Retry-After"]) >= 60
        assert client.get("/api/stories").status_code == 200
    assert client.post("/api/articles", json=LARGE).status_code == 200


@pytest.mark.parametrize("reason", sorted(NO_DATABASE))
def test_each_reason_has_its_words(
    service: Service,
    client: TestClient,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> None:
        raise Unavailable(reason, "a secret place: /srv/archive.db")

    monkeypatch.setattr(service.store, "assure", refuse)
    answer = client.post("/api/articles", json=LARGE)
    assert answer.status_code == 503
    error = answer.json()["error"]
    assert (error["message"], error["details"]) == (
        NO_DATABASE[reason],
        {"reason": reason},
    )
    assert "/srv" not in answer.text


def test_a_page_says_why_as_well(
    service: Service, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise Unavailable("busy", "a secret place: /srv/archive.db")

    monkeypatch.setattr(service.store, "read", refuse)
    answer = client.get("/operations", headers={"Accept": "text/html"})
    assert answer.status_code == 503
    assert NO_DATABASE["busy"] in answer.text
    assert "/srv" not in answer.text
