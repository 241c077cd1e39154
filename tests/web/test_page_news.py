"""Since you last looked: each story once, as it is now, and as many as are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.store.builders import START, article_row, story_row
from tests.web.conftest import open_service, the_service
from tests.web.looking import Looked, look
from ustory.core.story import EventKind
from ustory.store.articles import insert_articles
from ustory.store.results import write_events, write_stories
from ustory.store.tables import EventRow, StoryRow
from ustory.web.app import create_app
from ustory.web.pages.news import News, present_stories

FIRST = EventRow(id=0, slide=1, at=START, kind=EventKind.BORN, story="s000001")


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[TestClient]:
    """Return one who has seen a story, s000001, and comes back."""
    service = open_service(tmp_path / "news.db")
    with service.store.write() as connection:
        write_stories(connection, [story_row(1)])
        write_events(connection, [FIRST])
    with TestClient(create_app(service)) as client:
        assert not look(client, "/").all("p", class_="since")
        yield client
    service.store.close()


def _event(kind: EventKind, story: str, *articles: str, **details: str) -> EventRow:
    return EventRow(
        id=0, slide=2, at=START, kind=kind, story=story, articles=articles,
        details=details,
    )  # fmt: skip


def _happen(
    client: TestClient, rows: Sequence[StoryRow], events: Sequence[EventRow]
) -> None:
    with the_service(client).store.write() as connection:
        write_stories(connection, rows)
        write_events(connection, events)


def _rows(client: TestClient) -> dict[str, str]:
    """Return the marks of the stories that "Show only these" shows, on all pages."""
    found: dict[str, str] = {}
    path = "/?changed=1"
    while path:
        page = look(client, path)
        ids = [row["data-id"] for row in page.all("li", class_="story")]
        marks = [mark.text for mark in page.all("span", class_="mark-new")]
        assert not found.keys() & set(ids)
        found |= dict(zip(ids, marks, strict=True))
        following = page.all("a", rel="next")
        path = following[0]["href"] if following else ""
    return found


def _sentence(page: Looked) -> str:
    return page.one("p", class_="since").text.partition(":")[2].partition(".")[0]


def test_new_articles_are_those_that_the_story_has_now_each_once(
    visitor: TestClient,
) -> None:
    with the_service(visitor).store.write() as connection:
        places = {1: "s000001", 2: "s000002", 3: "s000001", 4: "s000001", 5: None}
        rows = [article_row(seq, story=place) for seq, place in places.items()]
        insert_articles(connection, rows)
    events = [
        _event(EventKind.GREW, "s000001", "a1", "a2", "a3"),
        _event(EventKind.GREW, "s000001", "a3", "a4", "a5", "withdrawn"),
        _event(EventKind.MOVED, "s000002", "a2", **{"from": "s000001"}),
    ]
    _happen(visitor, [story_row(2, 2)], events)

    assert _rows(visitor) == {"s000001": "3 new articles", "s000002": "new to you"}
    assert _sentence(look(visitor, "/")).strip() == "1 began and 1 grew"


def test_a_story_that_keeps_none_of_its_new_articles_changed(
    visitor: TestClient,
) -> None:
    _happen(visitor, [], [_event(EventKind.GREW, "s000001", "a1", "a2")])

    assert _rows(visitor) == {"s000001": "changed"}
    assert _sentence(look(visitor, "/")).strip() == "1 changed"


def test_the_numbers_of_the_sentence_are_those_of_what_is_shown(
    visitor: TestClient,
) -> None:
    began = [story_row(number, 2) for number in range(2, 73)]
    parts = [
        story_row(number, 1, status="merged", merged_into=f"s{number - 20:06d}")
        for number in (95, 96)
    ]
    into = [story_row(number, 1, merged_into=None) for number in (75, 76, 77)]
    chain = [story_row(98, 1, status="merged", merged_into="s000095")]
    over = [story_row(99, 1, status="expired")]
    events = [
        *(_event(EventKind.BORN, row.id) for row in began),
        *(_event(EventKind.MERGED, r.id, into=str(r.merged_into)) for r in parts),
        _event(EventKind.MERGED, "s000098", into="s000095"),
        _event(EventKind.GREW, "s000098", "a1"),
        _event(EventKind.REVIVED, "s000077"),
        _event(EventKind.EXPIRED, "s000099"),
        _event(EventKind.WITHDRAWN, ""),
    ]
    _happen(visitor, [*began, *into, *parts, *chain, *over], events)
    shown = _rows(visitor)
    words = _sentence(look(visitor, "/"))

    assert words.strip() == "71 began, 1 came back, 2 took in others and 1 ended"
    assert sum(map(int, re.findall(r"\d+", words))) == len(shown) == 75
    assert shown["s000075"] == "took in 2 others"  # one of them by way of another
    assert shown["s000076"] == "took in another"
    assert (shown["s000077"], shown["s000099"]) == ("back", "ended")
    assert not {row.id for row in (*parts, *chain)} & shown.keys()


def test_more_events_than_are_read_are_said_and_the_newest_are_told(
    visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ustory.web.pages.news.MAX_EVENTS", 3)
    rows = [story_row(number, 2) for number in range(2, 8)]
    _happen(visitor, rows, [_event(EventKind.BORN, row.id) for row in rows])
    words = look(visitor, "/").one("p", class_="since").text

    assert "3 began (told by the newest 3 of 6 events)" in words
    assert set(_rows(visitor)) == {"s000005", "s000006", "s000007"}


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "9" * 30, "²"])
def test_a_cursor_that_is_none_is_refused(visitor: TestClient, cursor: str) -> None:
    look(visitor, f"/?changed=1&cursor={cursor}", 404)


def test_a_later_page_of_what_changed_says_where_it_is(visitor: TestClient) -> None:
    rows = [story_row(number, 2) for number in range(2, 73)]
    _happen(visitor, rows, [_event(EventKind.BORN, row.id) for row in rows])
    page = look(visitor, "/?changed=1&cursor=30")

    assert len(page.all("li", class_="story")) == 30
    assert "Stories 31 to 60 of 71" in page.one("main").text
    # what changed since a visit is no list of the API, so there is no twin
    assert page.all("link", type="application/json") == []


def test_stories_that_merged_into_each_other_end_somewhere(
    visitor: TestClient,
) -> None:
    ring = [
        story_row(2, merged_into="s000003", status="merged"),
        story_row(3, merged_into="s000002", status="merged"),
    ]
    _happen(visitor, ring, [])
    with the_service(visitor).store.read() as connection:
        found = present_stories(connection, ["s000002", "s000003", "none"])

    assert found.keys() == {"s000002", "s000003"}
    assert News().page("", 5) == ([], None)
