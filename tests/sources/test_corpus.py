"""Real feeds are read as feedparser reads them: its own test files, over HTTP."""

from __future__ import annotations

import calendar
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import feedparser
import pytest

from tests.sources.corpus import Document, documents, kept
from tests.sources.site import Reply, Site, serving, web
from ustory.sources.feeds.entry import resolve_link
from ustory.sources.feeds.markup import plain_line, plain_text
from ustory.sources.feeds.polling import FeedPoller, FeedState
from ustory.sources.http.politeness import Spacing

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)
LEAST = 2_000
"""Documents that the distribution has at least."""


def entries_of(document: Document, url: str) -> list[dict[str, Any]]:
    """Return the entries that feedparser itself finds, with a title or a text."""
    headers = {name.lower(): value for name, value in document.headers.items()}
    found = feedparser.parse(
        io.BytesIO(document.body),
        response_headers={**headers, "content-location": url},
    )
    return [entry for entry in found["entries"] if _title(entry) or _text(entry)]


def _get(entry: dict[str, Any], name: str) -> str:
    value = dict.get(entry, name)
    return value if isinstance(value, str) else ""


def _title(entry: dict[str, Any]) -> str:
    return plain_line(_get(entry, "title"))[:1_000]


def _text(entry: dict[str, Any]) -> str:
    parts = [_get(part, "value") for part in dict.get(entry, "content") or ()]
    return "".join(map(plain_text, [_get(entry, "summary"), *parts]))


def _dates(entry: dict[str, Any]) -> list[datetime]:
    names = ("published_parsed", "updated_parsed", "created_parsed")
    parts = [dict.get(entry, name) for name in names]
    return [datetime.fromtimestamp(calendar.timegm(p), UTC) for p in parts if p]


def differences(site: Site, feeds: FeedPoller, document: Document) -> Iterator[str]:
    """Yield how what we read of a document differs from what feedparser reads."""
    path = f"/{document.name}"
    site.routes[path] = Reply(document.body, headers=document.headers)
    url = f"{site.url}{path}"
    polled = feeds.ask(FeedState.new(url, NOW))
    error = polled.state.last_error
    if error is not None and not error.startswith("this is no feed"):
        yield f"error: {error}"
        return
    theirs = entries_of(document, url)
    if len(theirs) != len(polled.items):
        yield f"entries: {len(polled.items)}, feedparser has {len(theirs)}"
        return
    for ours, entry in zip(polled.items, theirs, strict=True):
        if ours.article.title != _title(entry):
            yield f"title: {ours.article.title!r}, not {_title(entry)!r}"
        link = resolve_link(_get(entry, "link"), url)
        if ours.article.url != link:
            yield f"link: {ours.article.url!r}, not {link!r}"
        dates = _dates(entry)
        if ours.claimed_at not in dates and (dates or ours.claimed_at):
            yield f"date: {ours.claimed_at}, not {[str(date) for date in dates]}"


ALLOWED = {
    "illformed/chardet/shiftjis.xml": "Shift-JIS without a label, which neither knows",
    "wellformed/lang/entry_content_xml_lang_blank_3.xml": "two entries are the same",
    "wellformed/node_precedence/atom10_title.xml": "two entries are the same",
    "wellformed/namespace/atomthreadingwithentry.xml": "we keep parts of a second",
    "wellformed/sanitize/entry_title_crazy.xml": "we read no scripts in a title",
    "wellformed/sanitize/entry_title_object.xml": "we read no objects in a title",
    "wellformed/sanitize/item_content_encoded_script_nested_cdata.xml": (
        "a section inside a section leaves its end as a text"
    ),
}
"""Documents that are read otherwise, and why."""


@pytest.mark.timeout(600)
def test_feedparsers_own_files_are_read_as_feedparser_reads_them() -> None:
    archive = kept()
    if not archive.exists():
        pytest.skip(
            "needs feedparser's source distribution; python -m tests.sources.corpus "
            "downloads it with pip"
        )
    feeds = FeedPoller(web(), clock=lambda: NOW, spacing=Spacing(0.0))
    found: dict[str, list[str]] = {}
    count = 0
    with serving() as site:
        for document in documents(archive):
            count += 1
            differing = list(differences(site, feeds, document))
            if differing:
                found[document.name] = differing
    assert count >= LEAST
    assert {name: d for name, d in found.items() if name not in ALLOWED} == {}
    assert set(ALLOWED) == set(found), "what is allowed and does not differ"
