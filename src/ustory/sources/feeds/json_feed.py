"""JSON Feed, versions 1 and 1.1, as forgivingly as feeds in XML are read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ustory.sources.feeds.entry import MOST_ENTRIES, Entry, read_claim
from ustory.sources.feeds.entry_links import resolve_link
from ustory.sources.feeds.markup import plain_line, plain_text
from ustory.sources.http.errors import FetchError
from ustory.sources.records.clean import clean


def read_json_feed(text: str, url: str) -> tuple[str, list[Entry]]:
    """Return the title of a JSON Feed and its entries; FetchError if it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FetchError("broken", f"the feed is not whole JSON: {error}") from None
    items = found.get("items") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(items, list):
        raise FetchError("broken", "this JSON is no feed: it has no list of items")
    language = _text(found, "language")
    return plain_line(_text(found, "title")), [
        _entry(item, url, language, found)
        for item in items[: MOST_ENTRIES + 1]
        if isinstance(item, dict)
    ]


def _entry(
    item: Mapping[str, object], url: str, language: str, feed: Mapping[str, object]
) -> Entry:
    content = plain_text(_text(item, "content_html"))
    content = content or clean(_text(item, "content_text"))
    link = _text(item, "url") or _text(item, "external_url")
    dates = (item.get("date_published"), item.get("date_modified"))
    claims = (claim for claim in map(read_claim, dates) if claim is not None)
    return Entry(
        title=plain_line(_text(item, "title")),
        text=content or plain_text(_text(item, "summary")),
        has_content=bool(content),
        link=resolve_link(link, url),
        claimed_at=next(claims, None),
        lang=_text(item, "language") or language,
        authors=tuple(_authors(item)) or tuple(_authors(feed)),
    )


def _authors(holder: Mapping[str, object]) -> Iterator[str]:
    people = holder.get("authors")
    # Version 1 has one author, version 1.1 a list of them.
    for person in people if isinstance(people, list) else [holder.get("author")]:
        if isinstance(person, dict) and (name := plain_line(_text(person, "name"))):
            yield name


def _text(holder: Mapping[str, object], name: str) -> str:
    value = holder.get(name)
    # JSON can hold halves of characters, which no text may.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
