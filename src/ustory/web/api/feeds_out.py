"""Stories, and the articles of one story, as Atom and as JSON Feed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from ustory.web.access import Served
from ustory.web.api.stories import StoryFilter, StoryId
from ustory.web.channels import stories_channel, story_channel
from ustory.web.openapi_answers import Responses, refusals, streamed
from ustory.web.service import Service
from ustory.web.story_reader import StoryReader
from ustory.web.syndication import (
    ATOM_EXAMPLE,
    ATOM_TYPE,
    JSON_FEED_EXAMPLE,
    JSON_FEED_TYPE,
    Channel,
    atom,
    json_feed,
)

router = APIRouter(prefix="/api", tags=["feeds out"])

Wanted = Annotated[StoryFilter, Query()]
_ATOM = {
    **streamed({ATOM_TYPE: ATOM_EXAMPLE}, "An Atom feed."),
    **refusals(404),
}
_JSON: Responses = {
    200: {
        "description": "A JSON Feed.",
        "content": {
            JSON_FEED_TYPE: {
                "schema": {"type": "object"},
                "example": JSON_FEED_EXAMPLE,
            }
        },
    },
    **refusals(404),
}


@router.get("/stories.atom", response_class=Response, responses=_ATOM)
def stories_atom(service: Served, wanted: Wanted, request: Request) -> Response:
    """Return stories as an Atom feed, chosen as in the list."""
    return _atom(_stories(service, wanted, request))


@router.get("/stories.json", response_class=Response, responses=_JSON)
def stories_json(service: Served, wanted: Wanted, request: Request) -> Response:
    """Return stories as a JSON Feed, chosen as in the list."""
    return _json(_stories(service, wanted, request))


@router.get("/stories/{story}/articles.atom", response_class=Response, responses=_ATOM)
def story_atom(service: Served, story: StoryId, request: Request) -> Response:
    """Return the newest articles of a story as an Atom feed."""
    return _atom(_story(service, story, request))


@router.get("/stories/{story}/articles.json", response_class=Response, responses=_JSON)
def story_json(service: Served, story: StoryId, request: Request) -> Response:
    """Return the newest articles of a story as a JSON Feed."""
    return _json(_story(service, story, request))


def _stories(service: Service, wanted: StoryFilter, request: Request) -> Channel:
    now = service.clock()
    with service.store.read() as connection:
        page = StoryReader(connection, now).stories(wanted.query())
    base = service.base_url(str(request.base_url))
    return stories_channel(page.stories, base, request.url.path, now)


def _story(service: Service, story: str, request: Request) -> Channel:
    with service.store.read() as connection:
        reader = StoryReader(connection, service.clock())
        # feed readers keep an address for ever: a merged story goes on in the other
        row = reader.story(reader.present_id(reader.story(story)))
        page = reader.articles(row, 50, None)
        shown = reader.out([row])[0]
    base = service.base_url(str(request.base_url))
    return story_channel(shown, page.articles, base, request.url.path)


def _atom(channel: Channel) -> Response:
    return Response(atom(channel), media_type=ATOM_TYPE)


def _json(channel: Channel) -> Response:
    return JSONResponse(json_feed(channel), media_type=JSON_FEED_TYPE)
