"""Sources: the feeds that are read and how they do, and what else is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from ustory.core.article import web_link
from ustory.core.wording import listed, many
from ustory.sources.http.masking import masked_words
from ustory.store.feeds import all_feeds, read_times
from ustory.store.results import last_event
from ustory.store.tables import FeedRow
from ustory.web.access import Calling, Served
from ustory.web.models.feeds import FeedOut
from ustory.web.pages.error_pages import PageRoute
from ustory.web.pages.render import Page, show

SHOWN = 200
"""Feeds on a page, those that fail first."""
FAILING, NEW, OK, STOPPED = "failing", "new", "ok", "stopped"
WORDS = {
    FAILING: "fails",
    NEW: "not read yet",
    OK: "well",
    STOPPED: "not read any more",
}
"""How a feed does, in words; the order of the list."""

router = APIRouter(
    route_class=PageRoute, include_in_schema=False, default_response_class=HTMLResponse
)


@router.get("/sources")
def page(
    request: Request,
    service: Served,
    caller: Calling,
    start: Annotated[int, Query(ge=0, le=10**6)] = 0,
) -> Response:
    """Show the feeds, and how the last readings went."""
    with service.store.read() as connection:
        rows = all_feeds(connection)
        read = read_times(connection)
        event = last_event(connection)
    rows.sort(key=lambda row: (list(WORDS).index(health(row)), row.title.lower()))
    addresses = {row.url for row in rows}
    values = {
        "feeds": [
            _feed(row, whole=caller.may("feeds")) for row in rows[start : start + SHOWN]
        ],
        "count": len(rows),
        "summary": _summary(rows),
        "others": [
            {"source": masked_words(source), "updated_at": at}
            for source, at in read.items()
            if source not in addresses
        ],
        "wall": service.rules.wall(),
        "more": start + SHOWN if start + SHOWN < len(rows) else None,
        "start": start,
    }
    return show(
        request,
        service,
        Page(
            template="sources.html",
            title="Sources",
            twin="/api/feeds",
            nav="sources",
            event=event,
            values=values,
        ),
    )


def health(row: FeedRow) -> str:
    """Return how a feed does: a key of `WORDS`."""
    if not row.active:
        return STOPPED
    if row.failures:
        return FAILING
    return NEW if row.last_ok is None else OK


def _feed(row: FeedRow, *, whole: bool) -> dict[str, Any]:
    """Return a feed as the page shows it, with or without secrets of its address."""
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
    """Return how the feeds do, in a sentence."""
    counts = Counter(map(health, rows))
    told = [f"{counts[state]:,} {WORDS[state]}" for state in WORDS if counts[state]]
    return f"{many(len(rows), 'feed')}: {listed(told)}."
