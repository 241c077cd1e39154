"""Watchlists: made, listed, changed, taken away, and what they found."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request, Response

from ustory.store import Connection
from ustory.store import watchlists as store
from ustory.store.tables import Watchlist
from ustory.web.access import Served, writes
from ustory.web.api.feeds_out import (
    ATOM_ANSWERS,
    JSON_ANSWERS,
    atom_answer,
    feed_place,
    json_answer,
    story_leads,
)
from ustory.web.api.stories import Reader
from ustory.web.channels import watch_channel
from ustory.web.errors import ApiError
from ustory.web.models.shared import Tags, example_of, tags_of
from ustory.web.models.watchlists import (
    MatchedOut,
    MatchedPage,
    WatchlistIn,
    WatchlistMade,
    WatchlistOut,
    Watchlists,
)
from ustory.web.openapi_answers import answers, refusals
from ustory.web.service import Service
from ustory.web.story_reader import StoryReader
from ustory.web.syndication import Channel

router = APIRouter(prefix="/api/watchlists", tags=["watchlists"])

WatchlistId = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,40}$", alias="watchlist")]
New = Annotated[WatchlistIn, Body(examples=[example_of(WatchlistIn)])]
MAX_WATCHLISTS = 1_000
"""Watchlists there may be: every slide asks each of them."""


@router.get("", responses=answers(Watchlists))
def watchlists(service: Served) -> Watchlists:
    """List all watchlists."""
    with service.store.read() as connection:
        rows = store.all_watchlists(connection)
    return Watchlists(watchlists=[WatchlistOut.of(row) for row in rows])


@router.post(
    "",
    status_code=201,
    dependencies=writes("watchlists"),
    responses=answers(WatchlistMade, 400, 409, 413, status=201, words="Made."),
)
def make(service: Served, wanted: New) -> WatchlistMade:
    """Make a watchlist. The answer holds the secret of its webhook, this once."""
    row = Watchlist(
        id=f"w{secrets.token_hex(8)}",
        created_at=service.rules.wall(),
        secret=secrets.token_urlsafe(32) if wanted.webhook else None,
        webhook_format=wanted.webhook_format or store.CLOUDEVENTS,
        **_given(service, wanted),
    )
    with service.store.write() as connection:
        if len(store.all_watchlists(connection)) >= MAX_WATCHLISTS:
            raise ApiError(
                409, f"there are {MAX_WATCHLISTS:,} watchlists; remove one first"
            )
        store.put_watchlist(connection, row)
        _search_now(service, connection, row)
    return WatchlistMade.of(row)


@router.get("/{watchlist}", responses=answers(WatchlistOut, 404))
def watchlist(service: Served, watchlist: WatchlistId) -> WatchlistOut:
    """Return a watchlist."""
    return WatchlistOut.of(_found(service, watchlist))


@router.put(
    "/{watchlist}",
    dependencies=writes("watchlists"),
    responses=answers(WatchlistMade, 400, 404, 413),
)
def change(service: Served, watchlist: WatchlistId, wanted: New) -> WatchlistMade:
    """Change a watchlist. A new webhook gets a new secret, told in the answer.

    Messages that were not taken yet follow: they go to the new address, or nowhere
    once there is none or the watchlist is not active. They stay as they were written:
    another format is for matches from now on.
    """
    given = _given(service, wanted)
    if wanted.webhook_format is not None:
        given["webhook_format"] = wanted.webhook_format
    with service.store.write() as connection:
        before = store.watchlist(connection, watchlist)
        if before is None:
            raise _missing(watchlist)
        row = replace(before, **given)
        moved = wanted.webhook is not None and wanted.webhook != before.webhook
        if moved or wanted.webhook is None:
            row = replace(row, secret=secrets.token_urlsafe(32) if moved else None)
        store.put_watchlist(connection, row)
        store.redirect_deliveries(connection, row, service.rules.wall())
        _search_now(service, connection, row)
    told = WatchlistMade.of(row)
    return told if moved else told.model_copy(update={"secret": None})


@router.delete(
    "/{watchlist}",
    status_code=204,
    dependencies=writes("watchlists"),
    responses={204: {"description": "It is gone."}, **refusals(404)},
)
def remove(service: Served, watchlist: WatchlistId) -> Response:
    """Take away a watchlist, with its matches and the messages not yet sent."""
    with service.store.write() as connection:
        if not store.remove_watchlist(connection, watchlist):
            raise _missing(watchlist)
    return Response(status_code=204)


@router.get("/{watchlist}/matches", responses=answers(MatchedPage, 404))
def matches(
    service: Served,
    watchlist: WatchlistId,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[
        int | None, Query(ge=1, le=2**53, description="`next` of a page.")
    ] = None,
    reader: Reader = None,
) -> MatchedPage:
    """List the stories that a watchlist found, the newest first."""
    _found(service, watchlist)
    return _matches(service, watchlist, limit, before, tags_of(reader))


@router.get(
    "/{watchlist}/matches.atom", response_class=Response, responses=ATOM_ANSWERS
)
def matches_atom(
    service: Served, watchlist: WatchlistId, request: Request, reader: Reader = None
) -> Response:
    """Return the last matches as an Atom feed."""
    return atom_answer(_channel(service, watchlist, request, tags_of(reader)))


@router.get(
    "/{watchlist}/matches.json", response_class=Response, responses=JSON_ANSWERS
)
def matches_json(
    service: Served, watchlist: WatchlistId, request: Request, reader: Reader = None
) -> Response:
    """Return the last matches as a JSON Feed."""
    return json_answer(_channel(service, watchlist, request, tags_of(reader)))


def _channel(service: Service, watchlist: str, request: Request, tags: Tags) -> Channel:
    row = _found(service, watchlist)
    found = _matches(service, watchlist, 50, None, tags).matches
    with service.store.read() as connection:
        leads = story_leads(connection, [each.story.id for each in found if each.story])
    place = feed_place(service, request, f"/watch/{row.id}")
    return watch_channel(row, found, leads, place, service.clock())


def _matches(
    service: Service, watchlist: str, limit: int, before: int | None, tags: Tags
) -> MatchedPage:
    with service.store.read() as connection:
        rows = store.matches_of(connection, watchlist, limit + 1, before)
        reader = StoryReader(connection, service.clock(), tags)
        stories = reader.named({row.story for row in rows})
    page = rows[:limit]
    return MatchedPage(
        matches=[MatchedOut.of(row, story=stories.get(row.story)) for row in page],
        next=page[-1].id if len(rows) > limit else None,
    )


def _search_now(service: Service, connection: Connection, row: Watchlist) -> None:
    """Match a search at once; keywords and examples wait for the next slide."""
    if row.search and row.active:
        loop = service.loop
        loop.watcher.search_now(connection, loop.slide, service.clock())


def _given(service: Service, wanted: WatchlistIn) -> dict[str, Any]:
    if wanted.webhook is not None:
        service.check_address(wanted.webhook)
    if wanted.example is not None and not service.answers.can_read(wanted.example):
        raise ApiError(422, "the example cannot be read; give another text")
    return {
        "name": wanted.name,
        "keywords": tuple(wanted.keywords),
        "example": wanted.example,
        "search": wanted.search,
        "webhook": wanted.webhook,
        "active": wanted.active,
    }


def _found(service: Service, watchlist: str) -> Watchlist:
    with service.store.read() as connection:
        row = store.watchlist(connection, watchlist)
    if row is None:
        raise _missing(watchlist)
    return row


def _missing(watchlist: str) -> ApiError:
    return ApiError(404, f"there is no watchlist {watchlist}")
