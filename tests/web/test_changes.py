"""Whoever follows `/api/changes` sees every story that changed, however slides end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import get, open_service
from ustory.core.article import Article
from ustory.service.intake import IntakeLimits
from ustory.service.slide_schedule import MAX_IN_SLIDE
from ustory.store.slides import last_done
from ustory.web.app import create_app
from ustory.web.service import Service

START = datetime(2024, 3, 4, tzinfo=UTC)
PLACES = ("Kestrel", "Sella", "Ostrava", "Quilon", "Mirepoix", "Tavira", "Ludlow")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Return a service over an empty database; its threads do not run."""
    made = open_service(tmp_path / "a.db")
    made.loop.start()
    yield made
    made.store.close()


@pytest.fixture
def client(service: Service) -> TestClient:
    """Return a client of it."""
    return TestClient(create_app(service))


def articles(first: int, count: int, minutes: int = 0) -> list[Article]:
    """Return articles of one day about events in a few places."""
    return [
        Article(
            id=f"a{number}",
            published_at=START + timedelta(minutes=minutes),
            title=f"{PLACES[number % 7]} {number // 14} opens its harbour bridge",
            text=f"Bridge {number // 14} of {PLACES[number % 7]} was opened: {number}.",
            lang="en",
        )
        for number in range(first, first + count)
    ]


def changed(client: TestClient, **asked: Any) -> tuple[dict[str, int], dict[str, Any]]:  # noqa: ANN401 - any parameter
    """Return the stories of all pages with their sizes, and the last page."""
    found: dict[str, int] = {}
    cursor: str | None = None
    while True:
        extra = {} if cursor is None else {"cursor": cursor}
        page = get(client, "/api/changes", limit=200, **asked, **extra)
        found |= {story["id"]: story["articles"] for story in page["stories"]}
        cursor = page["next"]
        if cursor is None:
            return found, page


@pytest.mark.parametrize("way", ["after", "since"])
def test_a_slide_that_is_closed_early_hides_no_change(
    service: Service, client: TestClient, way: str
) -> None:
    service.intake.accept(articles(0, MAX_IN_SLIDE + 1), "test")
    seen: dict[str, int] = {}
    mark = {} if way == "after" else {"since": "2024-01-01"}
    ends: list[tuple[int, datetime]] = []
    for _ in range(2):
        service.loop.finish() if ends else service.loop.step()
        found, page = changed(client, **mark)
        assert datetime.fromisoformat(page["until"]) <= service.clock()
        seen |= found
        mark = {way: page["after" if way == "after" else "until"]}
        with service.store.read() as connection:
            done = last_done(connection)
        assert done is not None
        ends.append((done.number, done.end))
    assert [number for number, _ in ends] == [1, 2]
    assert ends[0][1] == ends[1][1]  # two slides with the same end
    everything, _ = changed(client, since="2024-01-01")
    assert seen == everything


@pytest.mark.parametrize("way", ["after", "since"])
def test_slides_that_share_their_time_are_all_given(
    service: Service, client: TestClient, way: str
) -> None:
    service.intake.limits = IntakeLimits(slide=20)
    service.intake.accept(articles(0, 100), "test")
    seen: dict[str, int] = {}
    mark = {} if way == "after" else {"since": "2024-01-01"}
    slides = 0
    while service.loop.step() is not None:
        found, page = changed(client, **mark)
        seen |= found
        mark = {way: page["after" if way == "after" else "until"]}
        slides += 1
    assert slides == 4  # the fifth is still open
    everything, _ = changed(client, since="2024-01-01")
    assert seen == everything
    assert len(seen) > 4


def test_after_a_mark_nothing_is_given_twice(
    service: Service, client: TestClient
) -> None:
    service.intake.accept(articles(0, 30), "test")
    service.loop.finish()
    first, page = changed(client)
    assert first
    assert changed(client, after=page["after"])[0] == {}
    service.intake.accept(articles(60, 10, minutes=2_000), "test")
    service.loop.finish()
    again, last = changed(client, after=page["after"])
    assert again
    assert last["after"] != page["after"]


def test_a_mark_of_a_slide_that_is_not_there_is_refused(
    service: Service, client: TestClient
) -> None:
    service.intake.accept(articles(0, 30), "test")
    service.loop.finish()
    mark = changed(client)[1]["after"]
    for other in (f"{mark[:-1]}{'0' if mark[-1] != '0' else '1'}", "7-0123456789ab"):
        answer = client.get("/api/changes", params={"after": other})
        assert answer.status_code == 404, answer.text
        assert "begin again" in answer.json()["error"]["message"]
    assert client.get("/api/changes", params={"after": "x"}).status_code == 422


def test_before_the_first_slide_there_is_no_mark(client: TestClient) -> None:
    page = get(client, "/api/changes")
    assert (page["stories"], page["after"], page["until"]) == ([], None, None)
