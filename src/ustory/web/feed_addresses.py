"""Which feed belongs to which page, and back."""

from __future__ import annotations

from collections.abc import Mapping

from ustory.store.query import AGES
from ustory.web.pages.formatting import story_path, with_query

WITHIN = AGES
"""How far back a feed may reach from the moment it is read."""
_SHARED = ("q", "keyword", "source", "lang", "size", "within", "since", "until", "sort")
"""Filters that the list of stories and its feed call by the same name."""


def feed_of_list(asked: Mapping[str, str], status: str) -> str:
    """Return the address of the feed of a list: its filters, and its status in the API.

    >>> feed_of_list({"lang": "de", "cursor": "x"}, "live")
    '/api/stories.atom?lang=de&status=live'
    """
    shared = {name: asked.get(name) for name in _SHARED}
    return with_query("/api/stories.atom", {**shared, "status": status})


def list_of_feed(given: Mapping[str, str]) -> str:
    """Return the address of the page that shows what a feed holds.

    Without a status a feed has ended stories too; so has a page with a search.

    >>> list_of_feed({"lang": "de", "status": "live"}), list_of_feed({"limit": "9"})
    ('/?lang=de', '/?status=all')
    """
    status, searched = given.get("status", ""), bool(given.get("q"))
    usual = "" if searched else "live"
    shown = "" if status == usual else status or "all"
    shared = {name: given.get(name) for name in _SHARED}
    return with_query("/", {**shared, "status": shown})


def feed_of_story(story: str) -> str:
    """Return the address of the feed of a story's articles.

    >>> feed_of_story("s000001")
    '/api/stories/s000001/articles.atom'
    """
    return f"/api{story_path(story)}/articles.atom"
