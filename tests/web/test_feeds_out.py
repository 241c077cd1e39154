"""Feeds lead to pages, say what happened, and are those of the view on screen."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import feedparser
import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import WRITER, get, the_service
from tests.web.feed_rules import (
    SPACE,
    check_atom,
    check_json_feed,
    link_of,
    text_of,
)
from tests.web.looking import look
from ustory.store.leads import openings, story_openings
from ustory.web.channels import FeedPlace, story_channel
from ustory.web.feed_addresses import WITHIN, feed_of_list, list_of_feed
from ustory.web.lead_text import LONGEST
from ustory.web.models.stories import ArticleOut, StoryOut
from ustory.web.pages.now_query import SPANS
from ustory.web.syndication import atom

HOST = "http://testserver"


@pytest.fixture
def watched(client: TestClient) -> str:
    """Return the path of a watchlist that has found something."""
    body = {"name": "Votes & <more>", "keywords": ["solenne"]}
    made = client.post("/api/watchlists", json=body, headers=WRITER).json()
    article = {"title": "Nothing much", "published_at": "2024-03-18T01:00:00Z"}
    client.post("/api/articles", json=article, headers=WRITER)
    the_service(client).loop.finish()
    return f"/api/watchlists/{made['id']}/matches"


PATHS = ("/api/stories", "/api/stories?lang=en&sort=size", "/api/stories/s000001")


def _as(path: str, kind: str) -> str:
    address, _, query = path.partition("?")
    address += "/articles" if address.endswith("s000001") else ""
    return f"{address}.{kind}" + (f"?{query}" if query else "")


@pytest.mark.parametrize("path", PATHS)
def test_feeds_keep_the_rules_of_their_formats(reader: TestClient, path: str) -> None:
    written = reader.get(_as(path, "atom"))
    feed = reader.get(_as(path, "json")).json()

    root = check_atom(written.content)
    check_json_feed(feed)
    read = feedparser.parse(written.content)
    assert not read.bozo
    ids = [item["id"] for item in feed["items"]]
    assert [entry.id for entry in read.entries] == ids
    assert len(root.findall(f"{SPACE}entry")) == len(ids) > 1


def test_the_matches_of_a_watchlist_keep_them_too(
    client: TestClient, watched: str
) -> None:
    root = check_atom(client.get(f"{watched}.atom").content)
    feed = get(client, f"{watched}.json")

    check_json_feed(feed)
    page = watched.removeprefix("/api/watchlists").removesuffix("/matches")
    assert link_of(root, "alternate") == feed["home_page_url"] == f"{HOST}/watch{page}"
    for item in feed["items"]:
        assert client.get(item["url"]).headers["content-type"].startswith("text/html")
        assert "independent source" in item["content_text"]


def test_an_entry_opens_the_page_of_its_story(reader: TestClient) -> None:
    listed = get(reader, "/api/stories")["stories"]
    root = check_atom(reader.get("/api/stories.atom").content)
    items = get(reader, "/api/stories.json")["items"]

    pages = [f"{HOST}/stories/{story['id']}" for story in listed]
    assert [link_of(e, "alternate") for e in root.findall(f"{SPACE}entry")] == pages
    assert [item["url"] for item in items] == pages
    assert look(reader, urlsplit(pages[0]).path).one("h1").text.strip() in (
        story["headline"] for story in listed
    )


def test_an_entry_says_what_happened_and_who_says_so(reader: TestClient) -> None:
    (first, *_) = get(reader, "/api/stories", sort="size")["stories"]
    (item, *_) = get(reader, "/api/stories.json", sort="size")["items"]
    service = the_service(reader)
    with service.store.read() as connection:
        opening = story_openings(connection, [first["id"]])[first["id"]]

    assert item["id"] == f"urn:ustory:story:{first['id']}"
    assert opening.text.startswith(item["summary"].split(". ")[0])
    assert 20 < len(item["summary"]) <= LONGEST
    assert item["content_text"].startswith(item["summary"])
    for outlet in first["top_sources"]:
        assert outlet in item["content_text"]
    counts = f"{first['articles']} articles, {first['sources']} independent source"
    assert counts in item["content_text"]
    assert f"Outlets: {', '.join(first['top_sources'])}" in item["content_text"]
    assert item["tags"] == first["keywords"]


def test_an_article_opens_at_its_publisher(reader: TestClient) -> None:
    story = get(reader, "/api/stories", sort="size")["stories"][0]
    path = f"/api/stories/{story['id']}/articles"
    article = get(reader, path)["articles"][0]
    feed = get(reader, f"{path}.json")

    assert feed["home_page_url"] == f"{HOST}/stories/{story['id']}"
    assert feed["items"][0]["url"] == article["url"]
    with the_service(reader).store.read() as connection:
        text = openings(connection, [article["id"]])[article["id"]].text
    assert text.startswith(feed["items"][0]["summary"].split(". ")[0])


def test_an_article_without_an_address_opens_on_its_own_page(
    reader: TestClient,
) -> None:
    told = get(reader, "/api/stories/s000001")
    article = {**told["articles"]["articles"][0], "id": "own id/1", "url": None}
    place = FeedPlace(f"{HOST}/", "/api/x.atom", "/stories/s000001")

    story = StoryOut.model_validate(told["story"])
    channel = story_channel(story, [ArticleOut.model_validate(article)], {}, place)

    root = check_atom(atom(channel))
    (entry,) = root.findall(f"{SPACE}entry")
    assert link_of(entry, "alternate") == f"{HOST}/articles/own%20id%2F1"


def test_the_address_of_a_feed_has_its_whole_query(reader: TestClient) -> None:
    asked = {"q": "bay & quake", "lang": "en", "since": "2024-03-01", "limit": "3"}

    root = check_atom(reader.get("/api/stories.atom", params=asked).content)
    feed = get(reader, "/api/stories.json", **asked)

    for address in (link_of(root, "self"), feed["feed_url"]):
        assert {k: v[0] for k, v in parse_qs(urlsplit(address).query).items()} == asked
    home = urlsplit(link_of(root, "alternate"))
    assert (home.path, parse_qs(home.query)) == (
        "/", {"q": ["bay & quake"], "lang": ["en"], "since": ["2024-03-01"]}
    )  # fmt: skip
    assert text_of(root, "title") == (
        "Stories: lang en, q bay & quake, since 2024-03-01"
    )


@pytest.mark.parametrize(
    "query",
    ["", "?lang=en", "?status=expired", "?status=all&sort=size", "?q=earthquake",
     "?q=earthquake&status=live", "?keyword=kestrel&source=Harbour+Post&within=7d",
     "?since=2024-03-05&until=2024-03-09"],
)  # fmt: skip
def test_the_feed_of_a_page_holds_its_stories(reader: TestClient, query: str) -> None:
    page = look(reader, f"/{query}")
    address = page.one("link", type="application/atom+xml")["href"]

    shown = [each["href"] for each in page.all("a", data_open="") if "href" in
             each.attributes and each["href"].startswith("/stories/")]  # fmt: skip
    root = check_atom(reader.get(address).content)
    fed = [urlsplit(link_of(e, "alternate")).path for e in root.iter(f"{SPACE}entry")]

    assert address in [link["href"] for link in page.all("a") if link.text == "Feed"]
    if "q=" in query:  # by relevance on the page, the newest first in a feed
        assert sorted(fed) == sorted(shown)
    else:
        assert fed[: len(shown)] == shown
    home = urlsplit(link_of(root, "alternate"))
    again = look(reader, f"{home.path}?{home.query}")
    assert again.one("link", type="application/atom+xml")["href"] == address


def test_the_feed_of_a_story_page_has_its_articles(reader: TestClient) -> None:
    page = look(reader, "/stories/s000001")

    (link,) = [link for link in page.all("a") if link.text == "Feed"]
    assert link["href"] == "/api/stories/s000001/articles.atom"


def test_no_feed_is_dated_before_its_entries(reader: TestClient) -> None:
    root = check_atom(reader.get("/api/stories.atom?limit=200").content)

    updated = datetime.fromisoformat(text_of(root, "updated"))
    entries = root.findall(f"{SPACE}entry")
    assert entries
    assert all(
        datetime.fromisoformat(text_of(entry, "updated")) <= updated
        for entry in entries
    )


def test_a_feed_within_a_time_goes_by_the_time_it_is_read(client: TestClient) -> None:
    now = the_service(client).clock()
    everything: dict[str, Any] = get(client, "/api/stories.json", limit=200)
    recent = get(client, "/api/stories.json", within="1d", limit=200)
    since = (now - WITHIN["1d"]).isoformat().replace("+00:00", "Z")

    asked = get(client, "/api/stories.json", since=since, limit=200)["items"]
    assert recent["items"] == asked
    assert len(asked) < len(everything["items"])


def test_a_page_and_its_feed_know_the_same_spans() -> None:
    assert {"", *WITHIN} == set(SPANS)


@pytest.mark.parametrize("status", ["live", "expired", "merged", ""])
@pytest.mark.parametrize("q", ["", "quake"])
def test_each_feed_has_its_page(q: str, status: str) -> None:
    page = list_of_feed({"q": q, "status": status, "limit": "5"})

    asked = {k: v[0] for k, v in parse_qs(urlsplit(page).query).items()}
    shown = asked.get("status", "" if q else "live").replace("all", "")
    assert parse_qs(urlsplit(feed_of_list(asked, shown)).query) == {
        name: [value] for name, value in (("q", q), ("status", status)) if value
    }
