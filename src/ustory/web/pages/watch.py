"""Watch: the watchlists and what they matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import Response

from ustory.store import Connection
from ustory.store import watchlists as store
from ustory.store.results import last_event
from ustory.store.tables import Match, Watchlist
from ustory.web.access import Served
from ustory.web.api.watchlists import MAX_WATCHLISTS
from ustory.web.errors import ApiError
from ustory.web.models.shared import Line, Tags
from ustory.web.models.watchlists import MAX_SEARCH, MatchedOut, WatchlistOut
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.formatting import with_query
from ustory.web.pages.render import Page, reader_of, show
from ustory.web.service import Service
from ustory.web.story_reader import StoryReader

PAGE_SIZE, MATCHES, MATCHES_OF_ONE = 30, 4, 50
"""Watchlists on a page, matches of each, and matches on the page of one."""

router = page_router()


@router.get("/watch")
def watch_page(
    request: Request,
    service: Served,
    start: Annotated[int, Query(ge=0, le=MAX_WATCHLISTS)] = 0,
    search: Annotated[Line, Query(max_length=MAX_SEARCH)] = "",
) -> Response:
    """Show the watchlists, each with its newest matches; `search` fills the form."""
    with service.store.read() as connection:
        rows = store.all_watchlists(connection)
        shown = rows[start : start + PAGE_SIZE]
        found = {
            row.id: store.matches_of(connection, row.id, MATCHES + 1) for row in shown
        }
        cards = _cards(connection, service, shown, found, tags=reader_of(request).tags)
        event = last_event(connection)
    values = {
        "cards": cards,
        "count": len(rows),
        "more": start + PAGE_SIZE if start + PAGE_SIZE < len(rows) else None,
        "start": start,
        "search": search,
    }
    twin = "/api/watchlists"
    page = Page("watch", "Watch", values, twin=twin, event=event)
    return show(request, service, page)


@router.get("/watch/{watchlist}")
def one(
    request: Request,
    service: Served,
    watchlist: str,
    before: Annotated[int | None, Query(ge=1, le=2**53)] = None,
) -> Response:
    """Show the matches of one watchlist, page by page."""
    with service.store.read() as connection:
        row = store.watchlist(connection, watchlist)
        if row is None:
            raise ApiError(404, "there is no such watchlist; it may have been removed")
        rows = store.matches_of(connection, row.id, MATCHES_OF_ONE + 1, before)
        found = {row.id: rows[:MATCHES_OF_ONE]}
        (card,) = _cards(
            connection, service, [row], found, MATCHES_OF_ONE, reader_of(request).tags
        )
        event = last_event(connection)
    last = rows[MATCHES_OF_ONE - 1].id if len(rows) > MATCHES_OF_ONE else None
    path = f"/watch/{row.id}"
    values = {
        "script": "watch",
        "card": card,
        "older": None if last is None else with_query(path, {"before": last}),
        "newest": path if before is not None else None,
    }
    twin = with_query(f"/api/watchlists/{row.id}/matches", {"before": before})
    page = Page(
        "watchlist",
        row.name,
        values,
        nav="watch",
        twin=twin,
        feed=f"/api/watchlists/{row.id}/matches.atom",
        event=event,
    )
    return show(request, service, page)


def _cards(
    connection: Connection,
    service: Service,
    rows: Sequence[Watchlist],
    found: dict[str, list[Match]],
    most: int = MATCHES,
    tags: Tags = (),
) -> list[dict[str, Any]]:
    """Return watchlists for the page, with the stories that matched."""
    reader = StoryReader(connection, service.clock(), tags)
    stories = reader.named({match.story for each in found.values() for match in each})
    return [
        {
            "list": WatchlistOut.of(row),
            "matches": [
                MatchedOut.of(match, story=stories.get(match.story))
                for match in found[row.id][:most]
            ],
            "is_more": len(found[row.id]) > most,
        }
        for row in rows
    ]
