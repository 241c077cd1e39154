"""The articles in a document of RSS or Atom, through feedparser, or of JSON Feed."""

from __future__ import annotations

import calendar
import io
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import feedparser

from ustory.sources.feeds.entry import (
    MAX_ENTRIES,
    Feed,
    FeedEntry,
    collect,
    read_claim,
    resolve_link,
)
from ustory.sources.feeds.markup import plain_line, plain_text, to_text
from ustory.sources.feeds.xml_document import harmless
from ustory.sources.http.errors import FetchError
from ustory.sources.records.clean import clean

_TYPE = "application/xml; charset=utf-8"
_PREFIX = 200
_LONG_DATE = 64


def read_feed(
    body: bytes, *, url: str, fetched_at: datetime, content_type: str = ""
) -> Feed:
    """Return what the document of a feed at `url` holds.

    Whatever can be read is read: a wrong content type or encoding, or XML that breaks
    off, loses at most what is broken. FetchError says that it is no feed at all.
    """
    title, entries = parse_feed(body, url, content_type)
    return collect(title, entries, url, fetched_at)


def parse_feed(
    body: bytes, url: str, content_type: str = ""
) -> tuple[str, list[FeedEntry]]:
    """Return the title of a feed and its entries, one more than are looked at."""
    text = to_text(body, content_type).strip()
    if text.startswith(("{", "[")):
        return read_json_feed(text, url)
    return _read_xml(text, url)


def _read_xml(text: str, url: str) -> tuple[str, list[FeedEntry]]:
    document = harmless(text)
    parsed = _parse(document.encode("utf-8", "replace"), url)
    feed, version = parsed["feed"], parsed.get("version")
    if not version and not parsed["entries"]:
        raise FetchError(
            "broken", f"this is no feed; it begins with {text[:_PREFIX].strip()[:60]!r}"
        )
    language = _get(feed, "language")
    entries = [
        _entry(one, url, language) for one in parsed["entries"][: MAX_ENTRIES + 1]
    ]
    return plain_line(_get(feed, "title")), entries


def _parse(data: bytes, url: str) -> dict[str, Any]:
    # A stream, because feedparser would fetch text that looks like an address.
    try:
        found: dict[str, Any] = feedparser.parse(
            io.BytesIO(data),
            response_headers={"content-type": _TYPE, "content-location": url},
            resolve_relative_uris=False,
            sanitize_html=False,
        )
    except Exception as error:  # noqa: BLE001 - a parser must not end the service
        raise FetchError(
            "broken", f"the feed cannot be read: {type(error).__name__}: {error}"
        ) from None
    return found


def _entry(found: dict[str, Any], url: str, language: str) -> FeedEntry:
    contents = [_get(part, "value") for part in dict.get(found, "content") or ()]
    summary = plain_text(_get(found, "summary"))
    full = max((plain_text(one) for one in contents), key=len, default="")
    detail = dict.get(found, "title_detail") or {}
    return FeedEntry(
        title=plain_line(_get(found, "title")),
        text=max(full, summary, key=len),
        has_content=bool(full),
        link=resolve_link(_get(found, "link"), url),
        claimed_at=_claim(found),
        lang=_get(detail, "language") or language,
        authors=tuple(_authors(found)),
    )


def _authors(found: dict[str, Any]) -> Iterator[str]:
    people = dict.get(found, "authors") or ()
    names = [_get(person, "name") for person in people] or [_get(found, "author")]
    yield from filter(None, map(plain_line, names))


def _claim(found: dict[str, Any]) -> datetime | None:
    for name in ("published", "updated", "created"):
        text = _get(found, name)
        claim = read_claim(text) or _guess(text, dict.get(found, f"{name}_parsed"))
        if claim is not None:
            return claim
    return None


def _guess(text: str, parts: Any) -> datetime | None:  # noqa: ANN401 - feedparser's
    # feedparser knows more ways to write a date, and sees some where there are none.
    try:
        claim = datetime.fromtimestamp(calendar.timegm(parts), UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        return None
    likely = len(text) <= _LONG_DATE and str(claim.year) in text
    return read_claim(claim) if likely else None


def _get(found: dict[str, Any], name: str) -> str:
    # The `get` of feedparser's own dictionary warns about names it has changed.
    value = dict.get(found, name) if isinstance(found, dict) else None
    return value if isinstance(value, str) else ""


def read_json_feed(text: str, url: str) -> tuple[str, list[FeedEntry]]:
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
        _json_entry(item, url, language, found)
        for item in items[: MAX_ENTRIES + 1]
        if isinstance(item, dict)
    ]


def _json_entry(
    item: Mapping[str, object], url: str, language: str, feed: Mapping[str, object]
) -> FeedEntry:
    content = plain_text(_text(item, "content_html"))
    content = content or clean(_text(item, "content_text"))
    link = _text(item, "url") or _text(item, "external_url")
    dates = (item.get("date_published"), item.get("date_modified"))
    claims = (claim for claim in map(read_claim, dates) if claim is not None)
    return FeedEntry(
        title=plain_line(_text(item, "title")),
        text=content or plain_text(_text(item, "summary")),
        has_content=bool(content),
        link=resolve_link(link, url),
        claimed_at=next(claims, None),
        lang=_text(item, "language") or language,
        authors=tuple(_json_authors(item)) or tuple(_json_authors(feed)),
    )


def _json_authors(holder: Mapping[str, object]) -> Iterator[str]:
    people = holder.get("authors")
    # Version 1 has one author, version 1.1 a list of them.
    for person in people if isinstance(people, list) else [holder.get("author")]:
        if isinstance(person, dict) and (name := plain_line(_text(person, "name"))):
            yield name


def _text(holder: Mapping[str, object], name: str) -> str:
    value = holder.get(name)
    # JSON can hold halves of characters, which no text may.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
