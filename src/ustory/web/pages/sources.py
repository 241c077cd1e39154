"""Sources: the feeds with their state, and other sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import Response

from ustory.core.article import web_link
from ustory.core.wording import listed, many
from ustory.sources.http.masking import masked_words
from ustory.store.feeds import all_feeds, read_times
from ustory.store.results import last_event
from ustory.store.tables import FeedRow
from ustory.web.access import Calling, Served
from ustory.web.models.feeds import FeedOut
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.render import Page, show

PAGE_SIZE = 200
"""Feeds on a page, failing ones first."""
FAILING, NEW, OK, STOPPED = "failing", "new", "ok", "stopped"
WORDS = {
    FAILING: "failing",
    NEW: "not read yet",
    OK: "ok",
    STOPPED: "stopped",
}
"""The state of a feed in words, in the order of the list."""

router = page_router()


@router.get("/sources")
def sources_page(
    request: Request,
    service: Served,
    caller: Calling,
    start: Annotated[int, Query(ge=0, le=10**6)] = 0,
) -> Response:
    """Show the feeds and their last results."""
    with service.store.read() as connection:
        rows = all_feeds(connection)
        read = read_times(connection)
        event = last_event(connection)
    rows.sort(key=lambda row: (list(WORDS).index(health(row)), row.title.lower()))
    addresses = {row.url for row in rows}
    values = {
        "feeds": [
            _feed(row, whole=caller.may("feeds"))
            for row in rows[start : start + PAGE_SIZE]
        ],
        "count": len(rows),
        "summary": _summary(rows),
        "others": [
            {"source": masked_words(source), "updated_at": at}
            for source, at in read.items()
            if source not in addresses
        ],
        "wall": service.rules.wall(),
        "more": start + PAGE_SIZE if start + PAGE_SIZE < len(rows) else None,
        "start": start,
        "demo": None if service.demo is None else service.demo(),
    }
    page = Page("sources", "Sources", values, twin="/api/feeds", event=event)
    return show(request, service, page)


def health(row: FeedRow) -> str:
    """Return the state of a feed: a key of `WORDS`."""
    if not row.active:
        return STOPPED
    if row.failures:
        return FAILING
    return NEW if row.last_ok is None else OK


def _feed(row: FeedRow, *, whole: bool) -> dict[str, Any]:
    """Return a feed for the page, with or without secrets in its address."""
    state = health(row)
    shown = FeedOut.of(row, whole=whole)
    return {
        "title": row.title or shown.url,
        "url": shown.url,
        "link": web_link(shown.url) if shown.url == row.url else None,
        "state": state,
        "words": WORDS[state],
        "times": many(row.failures, "time") if row.failures else None,
        "last_ok": row.last_ok,
        "next_at": _next(row, state),
        "articles": row.articles,
        "fault": shown.last_error if state in (FAILING, STOPPED) else None,
        "remove": f"/api/feeds/{shown.id}",
    }


def _next(row: FeedRow, state: str) -> datetime | None:
    return None if state == STOPPED else row.next_at


def _summary(rows: Sequence[FeedRow]) -> str:
    """Return the states of the feeds, in a sentence."""
    counts = Counter(map(health, rows))
    parts = [f"{counts[state]:,} {WORDS[state]}" for state in WORDS if counts[state]]
    return f"{many(len(rows), 'feed')}: {listed(parts)}."
