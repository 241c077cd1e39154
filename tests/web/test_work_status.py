"""What waits, is behind, was dropped or fails is told apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.service.running import demo_articles
from tests.web.conftest import WRITER, open_service
from ustory.service.backpressure import RECENT, Full, LeftOut
from ustory.service.intake import IntakeLimits
from ustory.sources.records.fields import MAX_ARTICLE_BYTES
from ustory.store.articles import put_aside
from ustory.store.feeds import put_feeds
from ustory.store.tables import AsideRow, Delivery, FeedRow
from ustory.store.watchlists import put_deliveries
from ustory.web.app import create_app
from ustory.web.service import Service

STREAM = demo_articles()
NOW = STREAM[0].published_at
DAY = timedelta(days=1)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Return a service over an empty archive, of which only the loop is said to run."""
    made = open_service(tmp_path / "a.db")
    made.loop.start()
    yield made
    made.store.close()


@pytest.fixture(autouse=True)
def works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the loop count as running: tests do its steps by hand."""
    monkeypatch.setattr(Service, "is_working", property(lambda _: True))


@pytest.fixture
def client(service: Service) -> TestClient:
    """Return a client of it."""
    return TestClient(create_app(service), headers=WRITER)


def standing(client: TestClient) -> dict[str, Any]:
    """Return where the work stands; both addresses say the same."""
    ready = client.get("/readyz").json()
    told = client.get("/api/operations").json()["standing"]
    assert ready["standing"] == told
    assert (ready["pending"], ready["behind"]) == (told["waiting"], told["behind"])
    return dict(told)


def test_an_archive_in_which_nothing_waits_is_ok(client: TestClient) -> None:
    assert standing(client) == {
        "state": "ok",
        "waiting": 0,
        "open_until": None,
        "behind": 0,
        "dropped": {
            "late": 0,
            "refused": 0,
            "turned_away": 0,
            "set_aside": 0,
            "webhooks": 0,
        },
        "failing": {},
    }


def test_articles_of_the_open_slide_wait(service: Service, client: TestClient) -> None:
    service.intake.accept(STREAM[:5], "test")
    found = standing(client)
    assert (found["state"], found["waiting"], found["behind"]) == ("waiting", 5, 0)


def test_slides_that_are_over_are_behind(service: Service, client: TestClient) -> None:
    service.intake.accept(STREAM[:40], "test")
    found = standing(client)
    assert found["state"] == "behind"
    assert found["behind"] > 0
    service.loop.finish()
    assert standing(client)["state"] == "ok"


def test_articles_that_are_refused_are_dropped(
    service: Service, client: TestClient
) -> None:
    [receipt] = service.intake.accept([replace(STREAM[0], title="", text="")], "test")
    assert receipt.outcome == "refused"
    found = standing(client)
    assert found["dropped"]["refused"] == 1
    assert found["state"] == "ok"


def test_articles_that_are_turned_away_make_it_dropping(
    service: Service, client: TestClient
) -> None:
    service.intake.limits = IntakeLimits(waiting=5)
    service.intake.accept(STREAM[:5], "test")
    with pytest.raises(Full):
        service.intake.accept(STREAM[5:8], "test")
    found = standing(client)
    assert (found["state"], found["dropped"]["turned_away"]) == ("dropping", 3)
    page = client.get("/operations").text
    assert "3 turned away for want of room" in page
    assert "Articles were turned away in the last minutes" in page
    assert "ustory_dropped_turned_away 3.0" in client.get("/metrics").text


def test_articles_that_are_set_aside_are_dropped(
    service: Service, client: TestClient
) -> None:
    row = AsideRow(
        article="a-1", seq=1, slide=1, at=NOW, reason="it panics", by="x", left_out=True
    )
    with service.store.write() as connection:
        put_aside(connection, [row])
    assert standing(client)["dropped"]["set_aside"] == 1


def test_articles_older_than_the_window_are_counted_and_named(
    service: Service, client: TestClient
) -> None:
    old = [replace(each, published_at=NOW - 30 * DAY) for each in STREAM[5:8]]
    service.intake.accept(STREAM[:5], "test")
    service.intake.accept(old, "test")
    service.loop.finish()
    service.loop.problems.flush()

    found = standing(client)
    assert found["dropped"]["late"] == 3
    assert "ustory_dropped_late 3.0" in client.get("/metrics").text
    page = client.get("/operations").text
    assert "All is well" not in page
    assert "not all is well" in page
    assert "3 articles came in that were older than the window" in page
    [problem] = client.get("/api/operations").json()["problems"]
    assert problem["kind"] == "late"
    assert "3 articles older than the window" in problem["message"]


def test_all_is_well_only_where_nothing_waits_and_nothing_was_dropped(
    service: Service, client: TestClient
) -> None:
    assert "waits for its first article" in client.get("/operations").text
    service.intake.accept(STREAM[:5], "test")
    page = client.get("/operations").text
    assert "5 articles wait for the end of a slide, which ends 5 March 2024" in page
    service.loop.finish()
    assert "All is well" in client.get("/operations").text

    service.intake.accept([replace(STREAM[6], title="", text="")], "test")
    page = client.get("/operations").text
    assert "All is well" not in page
    assert "1 article broke a rule" in page


def test_articles_that_a_caller_sent_in_vain_are_named(
    service: Service, client: TestClient
) -> None:
    service.intake.limits = IntakeLimits(waiting=1)
    good = {"id": "a", "title": "Title", "published_at": "2024-03-04T06:00:00Z"}
    bad = good | {"id": "b", "text": "word " * (MAX_ARTICLE_BYTES // 5 + 1)}
    sent = client.post("/api/articles", json={"articles": [good, bad]}).json()
    assert [each["outcome"] for each in sent["receipts"]] == ["new", "refused"]
    for number in range(3):
        more = [good | {"id": f"c{number}{each}"} for each in "xy"]
        answer = client.post("/api/articles", json={"articles": more})
        assert answer.status_code == 429
    service.loop.problems.flush()

    problems = client.get("/api/operations").json()["problems"]
    assert [each["kind"] for each in problems] == ["full", "refused"]
    assert "1 article refused, such as 'b'" in problems[1]["message"]


def test_dropping_is_over_after_a_while() -> None:
    now = [0.0]
    left_out = LeftOut(lambda: now[0])
    assert not left_out.is_turning_away
    left_out.turn_away(2)
    assert left_out.is_turning_away
    now[0] += RECENT
    assert not left_out.is_turning_away
    assert left_out.counts()["turned_away"] == 2


def test_feeds_and_webhooks_that_fail_are_counted_apart(
    service: Service, client: TestClient
) -> None:
    feed = FeedRow(url="https://a.example/", added_at=NOW, failures=2)
    messages = [
        Delivery(
            id=f"w.{number}",
            watchlist="w",
            match=number,
            url="https://b.example/",
            next_at=NOW + timedelta(days=9_999),
            attempts=attempts,
            status=status,
        )
        for number, (attempts, status) in enumerate(
            [(0, "due"), (3, "due"), (10, "failed"), (0, "cancelled")]
        )
    ]
    with service.store.write() as connection:
        put_feeds(connection, [feed])
        put_deliveries(connection, messages)
    found = standing(client)
    assert found["failing"] == {"feeds": 1, "webhooks": 1}
    assert found["dropped"]["webhooks"] == 1
    assert found["state"] == "ok"  # slides are done: others fail, not the service


def test_a_loop_in_trouble_is_failing(service: Service, client: TestClient) -> None:
    service.loop.problems.begin("loop", "bug", "it cannot go on")
    service.loop.problems.begin("stream.jsonl", "refused", "no such file")
    found = standing(client)
    assert (found["state"], found["failing"]) == ("failing", {"loop": 1, "others": 1})
    assert client.get("/readyz").status_code == 503


def test_a_loop_that_does_not_run_is_failing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Service, "is_working", property(lambda _: False))
    assert standing(client)["failing"] == {"loop": 1}
