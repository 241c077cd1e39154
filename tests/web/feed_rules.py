"""What RFC 4287 and JSON Feed 1.1 ask of a feed, as checks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SPACE = "{http://www.w3.org/2005/Atom}"
_ONE_IN_FEED = ("id", "title", "updated", "generator")
_ONE_IN_ENTRY = ("id", "title", "updated", "published", "summary", "content")
_NEEDED = ("id", "title", "updated")
_STAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})"
)


def check_atom(content: bytes) -> Element:
    """Return the root of a feed that keeps all rules of RFC 4287, section 4."""
    root = ElementTree.fromstring(content)
    assert root.tag == f"{SPACE}feed"
    _check_element(root, _ONE_IN_FEED)
    assert [link.get("href") for link in _links(root, "self")]
    entries = root.findall(f"{SPACE}entry")
    for entry in entries:
        _check_element(entry, _ONE_IN_ENTRY)
        if not _links(entry, "alternate"):  # 4.1.2
            assert entry.find(f"{SPACE}content") is not None
        authors = entry.findall(f"{SPACE}author/{SPACE}name")
        assert all(name.text for name in authors)
        assert authors or root.find(f"{SPACE}author") is not None  # 4.1.1
        assert all(each.get("term") for each in entry.findall(f"{SPACE}category"))
    ids = [text_of(entry, "id") for entry in entries]
    assert len(set(ids)) == len(ids)
    return root


def text_of(element: Element, name: str) -> str:
    """Return the text of a child."""
    return element.findtext(f"{SPACE}{name}") or ""


def link_of(element: Element, rel: str) -> str:
    """Return where the one link of a kind leads."""
    (link,) = _links(element, rel)
    return link.get("href") or ""


def _links(element: Element, rel: str) -> list[Element]:
    found = element.findall(f"{SPACE}link")
    return [link for link in found if link.get("rel", "alternate") == rel]


def _check_element(element: Element, once: tuple[str, ...]) -> None:
    counts = Counter(child.tag.removeprefix(SPACE) for child in element)
    assert all(counts[name] <= 1 for name in once), counts
    assert all(text_of(element, name) for name in _NEEDED)
    assert urlsplit(text_of(element, "id")).scheme  # 4.2.6: an IRI
    for name in ("updated", "published"):
        for each in element.findall(f"{SPACE}{name}"):
            assert _STAMP.fullmatch(each.text or ""), each.text
    published = element.findtext(f"{SPACE}published")
    if published is not None:
        assert _moment(published) <= _moment(text_of(element, "updated"))
    for rel in ("alternate", "self"):  # 4.1.1: one for each type and language
        kinds = [link.get("type") for link in _links(element, rel)]
        assert len(set(kinds)) == len(kinds)
        for link in _links(element, rel):
            assert urlsplit(link.get("href") or "").scheme in ("http", "https")


def check_json_feed(feed: Mapping[str, Any]) -> None:
    """Check that a feed keeps the rules of JSON Feed 1.1."""
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert isinstance(feed["title"], str)
    for name in ("home_page_url", "feed_url"):
        assert urlsplit(feed[name]).scheme in ("http", "https")
    ids = [item["id"] for item in feed["items"]]
    assert len(set(ids)) == len(ids)
    for item in feed["items"]:
        assert isinstance(item["id"], str)
        assert item.get("content_text") or item.get("content_html")
        for name in ("title", "summary", "content_text"):
            assert isinstance(item.get(name, ""), str)
        for name in ("date_published", "date_modified"):
            assert _STAMP.fullmatch(item[name])
        assert _moment(item["date_published"]) <= _moment(item["date_modified"])
        assert all(author["name"] for author in item.get("authors", []))
        assert all(isinstance(tag, str) for tag in item.get("tags", []))
        if "url" in item:
            assert urlsplit(item["url"]).scheme in ("http", "https")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
