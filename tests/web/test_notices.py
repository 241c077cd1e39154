"""Now says where a demo is, which articles are in no story, and as of when it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.service.running import demo_articles
from tests.web.conftest import open_service
from tests.web.looking import look
from ustory.service.clock import StreamClock, WallClock
from ustory.service.demo import DemoProgress
from ustory.web.app import create_app
from ustory.web.service import Service

STREAM = demo_articles()
OLD = [
    replace(each, published_at=each.published_at - timedelta(days=40))
    for each in STREAM[10:12]
]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Return a service over a few articles, without its threads."""
    made = open_service(tmp_path / "a.db")
    made.loop.start()
    made.intake.accept(STREAM[:10], "test")
    made.loop.finish()
    yield made
    made.store.close()


@pytest.fixture
def client(service: Service) -> TestClient:
    """Return a client of it."""
    return TestClient(create_app(service))


def _notices(client: TestClient) -> str:
    return " ".join(look(client, "/").one("div", id="notices").text.split())


def test_now_says_nothing_where_all_articles_were_in_time(client: TestClient) -> None:
    assert _notices(client) == ""


def test_articles_older_than_the_window_are_counted_on_now(
    service: Service, client: TestClient
) -> None:
    service.intake.accept(OLD, "test")
    service.loop.finish()

    said = _notices(client)
    assert "2 articles came in older than the window and are in no story" in said
    assert "sort the file by date" in said

    service.clock = WallClock()
    assert "ustory serve FILE --as-of-articles" in _notices(client)


def test_the_demo_says_its_day_and_what_to_do_at_its_end(
    service: Service, client: TestClient
) -> None:
    service.demo = lambda: DemoProgress(day=9, days=14, is_over=False)
    assert "Demo, day 9 of 14." in _notices(client)
    assert "js/notices.js" in client.get("/").text

    service.demo = lambda: DemoProgress(day=14, days=14, is_over=True)
    said = _notices(client)
    assert "The demo has ended after its 14 days" in said
    assert "ustory serve news.jsonl" in said
    assert "ustory serve feeds.opml" in said


def test_a_replay_is_as_of_a_date_and_never_of_just_now(
    service: Service, client: TestClient
) -> None:
    assert isinstance(service.clock, StreamClock)
    lead = look(client, "/").one("p", class_="lead").text
    newest = STREAM[9].published_at  # the time of the stream, as at the foot of a page
    assert f"as of {newest.day} March 2024, {newest:%H:%M} UTC" in lead
    assert "just now" not in lead


def test_sources_names_the_demo_instead_of_missing_feeds(
    service: Service, client: TestClient
) -> None:
    assert "No feeds yet" in client.get("/sources").text
    service.demo = lambda: DemoProgress(day=9, days=14, is_over=False)
    page = client.get("/sources").text
    assert "No feeds yet" not in page
    assert "The demo stream is read" in page


def test_an_article_that_waits_says_so_on_its_page_and_in_the_api(
    service: Service, client: TestClient
) -> None:
    service.intake.accept(STREAM[10:11], "test")
    waits = STREAM[10].id

    page = look(client, f"/articles/{waits}")
    over = page.one("p", class_="over").text
    assert "Waits for its slide, which ends 6 March 2024" in over
    assert "Why no story yet" in page.one("section", class_="why").text
    told = client.get(f"/api/articles/{waits}/explanation").json()
    assert (told["waiting"], told["due_at"][:10]) == (True, "2024-03-06")
    service.loop.finish()
    told = client.get(f"/api/articles/{waits}/explanation").json()
    assert (told["waiting"], told["due_at"]) == (False, None)
