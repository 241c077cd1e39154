"""Feeds hold whatever publishers write, as text and as nothing else."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from xml.etree import ElementTree

import feedparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import web_link
from ustory.web.syndication import VERSION, Channel, Entry, atom, json_feed

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)
SPACE = "{http://www.w3.org/2005/Atom}"


def _channel(*entries: Entry) -> Channel:
    return Channel(
        id="urn:ustory:stories",
        title="Stories",
        itself="http://a.example/api/stories.atom",
        home="http://a.example/",
        updated=NOW,
        entries=entries,
    )


def _entry(title: str = "T", link: str | None = None, summary: str = "") -> Entry:
    return Entry(
        id="urn:ustory:story:s1",
        title=title,
        link=link,
        updated=NOW,
        published=NOW,
        summary=summary,
        tags=("one", "two"),
    )


def test_feed_readers_understand_the_atom() -> None:
    read = feedparser.parse(atom(_channel(_entry("Quake", "https://a.example/q", "x"))))

    assert not read.bozo
    assert read.feed.title == "Stories"
    (entry,) = read.entries
    assert (entry.title, entry.link, entry.id) == (
        "Quake", "https://a.example/q", "urn:ustory:story:s1",
    )  # fmt: skip
    assert [tag.term for tag in entry.tags] == ["one", "two"]


@given(st.text(), st.text())
def test_any_text_makes_a_document_that_can_be_read(title: str, summary: str) -> None:
    root = ElementTree.fromstring(atom(_channel(_entry(title, None, summary))))

    found = root.find(f"{SPACE}entry/{SPACE}title")
    assert found is not None
    assert found.text is not None
    assert len(root.findall(f"{SPACE}entry")) == 1


def test_scripts_come_out_as_text() -> None:
    written = atom(_channel(_entry("<script>alert(1)</script>")))

    assert b"<script>" not in written
    assert b"&lt;script&gt;" in written


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "data:text/html,x", "/relative", "", "http://", "http://[",
     "https://a.example/\nx", "file:///etc/passwd"],
)  # fmt: skip
def test_links_that_nobody_should_follow_are_left_out(link: str) -> None:
    assert web_link(link) is None
    assert b'href="http://a.example/"' in atom(_channel(_entry(link=link)))
    assert "url" not in json_feed(_channel(_entry(link=link)))["items"][0]


def test_the_json_feed_is_one_by_its_specification() -> None:
    feed = json.loads(json.dumps(json_feed(_channel(_entry("Quake")))))

    assert feed["version"] == VERSION
    assert {"title", "home_page_url", "feed_url", "items"} <= feed.keys()
    (item,) = feed["items"]
    assert item["id"] == "urn:ustory:story:s1"
    assert item["content_text"] == "Quake"
    assert item["date_published"] == "2024-03-07T12:00:00Z"
