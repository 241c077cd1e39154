"""The feeds that are read: listed, added, removed, as OPML in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Body, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from ustory.core.errors import ConfigError
from ustory.sources.feeds.feed_list import Subscription
from ustory.sources.feeds.opml import write_opml
from ustory.sources.feeds.reader_pool import READERS
from ustory.sources.http.masking import feed_id, masked_address
from ustory.store import Connection
from ustory.store import feeds as store
from ustory.store.tables import FeedRow
from ustory.web.access import Calling, Served, writes
from ustory.web.errors import ApiError
from ustory.web.models.feeds import FeedIn, FeedOut, Feeds, Imported
from ustory.web.models.shared import WebAddress, example_of
from ustory.web.openapi_answers import answers, refusals, streamed
from ustory.web.service import Service

router = APIRouter(prefix="/api/feeds", tags=["feeds"])
_OPML = "text/x-opml"
_OPML_EXAMPLE = (
    '<?xml version="1.0"?><opml version="2.0"><body>'
    '<outline text="Harbour Post" type="rss" '
    'xmlUrl="https://harbourpost.example/rss.xml"/></body></opml>'
)
FeedId = Annotated[str, Path(pattern="^[0-9a-f]{16}$", alias="feed")]


@router.get("", responses=answers(Feeds))
def feeds(service: Served, caller: Calling) -> Feeds:
    """List the feeds, with how the last readings went.

    Secrets in their addresses are told to keys for feeds alone.
    """
    with service.store.read() as connection:
        rows = store.all_feeds(connection)
    whole = caller.may("feeds")
    return Feeds(feeds=[FeedOut.of(row, whole=whole) for row in rows])


@router.post(
    "",
    status_code=201,
    dependencies=writes("feeds"),
    responses=answers(
        FeedOut, 400, 409, 413, status=201, words="It is read from now on."
    ),
)
def add(
    service: Served, wanted: Annotated[FeedIn, Body(examples=[example_of(FeedIn)])]
) -> FeedOut:
    """Read a feed from now on."""
    service.check_address(wanted.url)
    row = FeedRow(url=wanted.url, title=wanted.title, added_at=service.rules.wall())
    with service.store.write() as connection:
        if not store.add_feeds(connection, [row]):
            raise ApiError(409, "there is a feed with this address already")
        _check_number(service, connection)
    return FeedOut.of(row, whole=True)


@router.delete(
    "",
    status_code=204,
    dependencies=writes("feeds"),
    responses={204: {"description": "It is not read any more."}, **refusals(404)},
)
def remove(service: Served, url: Annotated[WebAddress, Query()]) -> Response:
    """Read a feed no more; its articles stay."""
    with service.store.write() as connection:
        if not store.remove_feed(connection, url):
            raise ApiError(404, "there is no feed with this address")
    return Response(status_code=204)


@router.delete(
    "/{feed}",
    status_code=204,
    dependencies=writes("feeds"),
    responses={204: {"description": "It is not read any more."}, **refusals(404)},
)
def remove_by_id(service: Served, feed: FeedId) -> Response:
    """Read a feed no more, by its id in the list."""
    with service.store.write() as connection:
        urls = [row.url for row in store.all_feeds(connection)]
        found = next((url for url in urls if feed_id(url) == feed), None)
        if found is None:
            raise ApiError(404, "there is no feed with this id")
        store.remove_feed(connection, found)
    return Response(status_code=204)


@router.get(
    ".opml",
    response_class=Response,
    responses={
        **streamed({_OPML: _OPML_EXAMPLE}, "The list, for any feed reader."),
        **refusals(),
    },
)
def opml(service: Served, caller: Calling) -> Response:
    """Return the list of feeds as OPML; a key for feeds gets all of each address."""
    with service.store.read() as connection:
        rows = store.all_feeds(connection)
    whole = caller.may("feeds")
    listed = [
        Subscription(row.url if whole else masked_address(row.url), row.title)
        for row in rows
    ]
    return Response(
        write_opml(listed, service.rules.wall()),
        media_type=_OPML,
        headers={"Content-Disposition": 'attachment; filename="feeds.opml"'},
    )


@router.post(
    ".opml",
    dependencies=writes("feeds"),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                _OPML: {
                    "schema": {"type": "string", "format": "opml"},
                    "example": _OPML_EXAMPLE,
                }
            },
        }
    },
    responses=answers(Imported, 400, 409, 413),
)
async def import_opml(service: Served, request: Request) -> Imported:
    """Read the feeds of an OPML document from now on."""
    return await run_in_threadpool(_add_listed, service, await request.body())


def _add_listed(service: Service, body: bytes) -> Imported:
    return _add_all(service, _listed(body))


def _listed(body: bytes) -> list[Subscription]:
    try:
        return READERS.opml(body, "the body")
    except ConfigError as error:
        raise ApiError(400, str(error)) from None


def _add_all(service: Service, listed: Sequence[Subscription]) -> Imported:
    now = service.rules.wall()
    good = [each for each in listed if service.may_reach(each.url)]
    rows = [FeedRow(url=each.url, title=each.title, added_at=now) for each in good]
    with service.store.write() as connection:
        added = len(store.add_feeds(connection, rows))
        _check_number(service, connection)
    return Imported(
        added=added, known=len(good) - added, refused=len(listed) - len(good)
    )


def _check_number(service: Service, connection: Connection) -> None:
    """Refuse feeds above the limit; those just added are taken back with that."""
    most, there = service.rules.limits.feeds, store.count_feeds(connection)
    if there > most:
        raise ApiError(
            409,
            f"{most:,} feeds may be read, and these would make {there:,}; take some "
            "out, or raise the limit `feeds`",
        )
