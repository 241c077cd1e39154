"""Now: ranked, filtered, searched, paged, and what is new since the last look."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import WRITER, get, open_service, the_service
from tests.web.looking import Looked, look
from ustory.web.app import create_app


def _ids(page: Looked) -> list[str]:
    return [row["data-id"] for row in page.all("li", class_="story")]


def test_live_stories_are_listed_by_heat_as_the_twin_has_them(
    reader: TestClient,
) -> None:
    page = look(reader, "/")
    twin = page.one("link", type="application/json")["href"]

    assert urlsplit(twin).path == "/api/stories"
    stories = reader.get(twin).json()["stories"]
    assert _ids(page) == [story["id"] for story in stories] != []
    assert all(story["status"] == "live" for story in stories)
    heads = [link.text for link in page.all("a") if "data-open" in link.attributes]
    assert heads == [story["headline"] for story in stories]


def test_each_story_says_how_it_is_without_colour(reader: TestClient) -> None:
    page = look(reader, "/")
    trends = {e.text for e in page.all("span", class_="trend")}

    assert trends <= {"new", "growing", "steady", "fading"}
    sparks = page.all("svg", class_="spark")
    assert len(sparks) == len(_ids(page))
    assert all("articles in 14 days" in s["aria-label"] for s in sparks)
    times = page.all("time", data_ago="")
    assert all(time["title"].endswith("UTC") for time in times)


@pytest.mark.parametrize(
    ("name", "value"),
    [("lang", "en"), ("status", "expired"), ("sort", "size"), ("status", "merged")],
)
def test_a_filter_shows_what_the_api_shows(
    reader: TestClient, name: str, value: str
) -> None:
    page = look(reader, f"/?{name}={value}")
    asked = {"status": "live", "limit": 30, name: value}

    stories = get(reader, "/api/stories", **asked)["stories"]
    assert _ids(page) == [story["id"] for story in stories]


def test_filters_by_keyword_and_source_keep_what_has_them(reader: TestClient) -> None:
    story = get(reader, "/api/stories", status="live")["stories"][0]

    for name, value in (
        ("keyword", story["keywords"][0]),
        ("source", story["top_sources"][0]),
    ):
        page = look(reader, f"/?{name}={quote(value)}")
        assert story["id"] in _ids(page)
        assert page.one("input", name=name)["value"] == value


def test_a_span_of_time_is_told_to_the_api_as_a_moment(reader: TestClient) -> None:
    page = look(reader, "/?within=1d")
    twin = urlsplit(page.one("link", type="application/json")["href"])

    assert parse_qs(twin.query)["since"][0].endswith("Z")
    wider = _ids(look(reader, "/?within=7d"))
    assert set(_ids(page)) < set(wider)


@pytest.mark.parametrize(
    "asked", ["within=1y", "status=dead", "since=yesterday", "sort=luck"]
)
def test_a_filter_that_is_none_is_refused_on_a_page_in_words(
    reader: TestClient, asked: str
) -> None:
    page = look(reader, f"/?{asked}", 400)

    assert asked.split("=")[0] in page.one("p", class_="lead").text


def test_a_cursor_that_is_none_of_ours_is_a_page_too(reader: TestClient) -> None:
    page = look(reader, "/?cursor=abc", 404)

    assert "begin again" in page.one("p", class_="lead").text


def test_empty_fields_of_the_form_filter_nothing(reader: TestClient) -> None:
    form = "status=&sort=&within=&source=&lang=&keyword=&since=&until="

    assert _ids(look(reader, f"/?{form}")) == _ids(look(reader, "/"))


def test_a_search_finds_stories_of_all_times_and_articles(reader: TestClient) -> None:
    page = look(reader, "/?q=earthquake")

    assert _ids(page)
    assert "earthquake" in page.one("h1").text
    assert page.one("input", id="search")["value"] == "earthquake"
    assert page.one("ul", class_="hits").text.strip()


def test_what_fits_nothing_is_said_kindly(reader: TestClient) -> None:
    page = look(reader, "/?q=xylophonist")

    assert _ids(page) == []
    assert page.one("p", class_="nothing-title").text == "No story matches"


def test_pages_follow_each_other_without_gaps(
    reader: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _ids(look(reader, "/?status=all"))
    monkeypatch.setattr("ustory.web.pages.now.PAGE", 4)
    found: list[str] = []
    path = "/?status=all"
    while True:
        page = look(reader, path)
        found += _ids(page)
        onwards = page.all("a", rel="next")
        if not onwards:
            break
        path = onwards[0]["href"]

    assert found[: len(whole)] == whole
    assert len(set(found)) == len(found)


def test_an_empty_database_says_what_to_do(tmp_path: Path) -> None:
    service = open_service(tmp_path / "empty.db")
    with TestClient(create_app(service)) as client:
        page = look(client, "/")
    service.store.close()

    assert page.one("p", class_="nothing-title").text == "No articles yet"
    assert page.one("body")["data-event"] == "0"


def test_articles_that_wait_for_their_slide_are_counted(tmp_path: Path) -> None:
    service = open_service(tmp_path / "waiting.db")
    article = {"title": "A first word", "published_at": "2024-03-01T12:00:00Z"}
    with TestClient(create_app(service)) as client:
        sent = client.post("/api/articles", json=article, headers=WRITER)
        page = look(client, "/")
    service.store.close()

    assert sent.status_code == 200
    assert "1 article came in" in page.one("div", class_="nothing").text


def test_what_happened_since_the_last_look_is_told(client: TestClient) -> None:
    assert not look(client, "/").all("p", class_="since")
    texts = [
        {
            "title": f"Comet Wexley seen over Tolmar, {where} report",
            "text": "Comet Wexley was seen over Tolmar by astronomers. "
            "The comet Wexley will pass Tolmar again in a century.",
            "published_at": "2024-03-18T01:00:00Z",
            "source": where,
        }
        for where in ("shepherds", "sailors", "students")
    ]
    client.post("/api/articles", json={"articles": texts}, headers=WRITER)
    the_service(client).loop.finish()

    page = look(client, "/")
    assert "began" in page.one("p", class_="since").text
    changed = _ids(look(client, "/?changed=1"))
    marks = page.all("span", class_="mark-new")
    assert changed
    assert len(marks) >= 1
    seen = client.get("/seen", follow_redirects=False)
    assert (seen.status_code, seen.headers["location"]) == (303, "/")
    assert not look(client, "/").all("p", class_="since")
