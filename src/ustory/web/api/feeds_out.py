"""Stories, and the articles of one story, as Atom and as JSON Feed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from ustory.store import Connection
from ustory.store.leads import openings, story_openings
from ustory.store.listing import StoryQuery
from ustory.web.access import Served
from ustory.web.api.stories import Reader, StoryFilter, StoryId
from ustory.web.channels import FeedPlace, Leads, stories_channel, story_channel
from ustory.web.feed_addresses import WITHIN, list_of_feed
from ustory.web.lead_text import lead_text
from ustory.web.models.shared import Tags, tags_of
from ustory.web.openapi_answers import Responses, refusals, streamed
from ustory.web.pages.formatting import story_path, with_query
from ustory.web.service import Service
from ustory.web.story_reader import StoryReader, check_text
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

_NOT_CHOSEN_BY = ("limit", "cursor", "sort")
"""Parameters that say how much and in which order, and not what."""


class FeedFilter(StoryFilter):
    """Which stories a feed has; its address is kept, so it may go by its own time."""

    within: Literal["6h", "1d", "3d", "7d"] | None = Field(
        None, description="With articles since so long ago; `since` counts first."
    )

    def as_of(self, now: datetime) -> StoryQuery:
        """Return the question as the store takes it, at a moment."""
        asked = self.query()
        if self.within is None or self.since is not None:
            return asked
        return replace(asked, since=now - WITHIN[self.within])


Wanted = Annotated[FeedFilter, Query()]
ATOM_ANSWERS: Responses = {
    **streamed({ATOM_TYPE: ATOM_EXAMPLE}, "An Atom feed."),
    **refusals(400, 404),
}
JSON_ANSWERS: Responses = {
    200: {
        "description": "A JSON Feed.",
        "content": {
            JSON_FEED_TYPE: {
                "schema": {"type": "object"},
                "example": JSON_FEED_EXAMPLE,
            }
        },
    },
    **refusals(400, 404),
}


@router.get("/stories.atom", response_class=Response, responses=ATOM_ANSWERS)
def stories_atom(service: Served, wanted: Wanted, request: Request) -> Response:
    """Return stories as an Atom feed, chosen as in the list."""
    return atom_answer(_stories(service, wanted, request))


@router.get("/stories.json", response_class=Response, responses=JSON_ANSWERS)
def stories_json(service: Served, wanted: Wanted, request: Request) -> Response:
    """Return stories as a JSON Feed, chosen as in the list."""
    return json_answer(_stories(service, wanted, request))


@router.get(
    "/stories/{story}/articles.atom", response_class=Response, responses=ATOM_ANSWERS
)
def story_atom(
    service: Served, story: StoryId, request: Request, reader: Reader = None
) -> Response:
    """Return the newest articles of a story as an Atom feed."""
    return atom_answer(_story(service, story, request, tags_of(reader)))


@router.get(
    "/stories/{story}/articles.json", response_class=Response, responses=JSON_ANSWERS
)
def story_json(
    service: Served, story: StoryId, request: Request, reader: Reader = None
) -> Response:
    """Return the newest articles of a story as a JSON Feed."""
    return json_answer(_story(service, story, request, tags_of(reader)))


def _stories(service: Service, wanted: FeedFilter, request: Request) -> Channel:
    check_text(wanted.q)
    now = service.clock()
    with service.store.read() as connection:
        page = StoryReader(connection, now, wanted.languages).stories(wanted.as_of(now))
        leads = story_leads(connection, [story.id for story in page.stories])
    given = dict(request.query_params)
    place = feed_place(service, request, list_of_feed(given))
    chosen = {
        name: value for name, value in given.items() if name not in _NOT_CHOSEN_BY
    }
    return stories_channel(page.stories, leads, place, now, chosen)


def _story(service: Service, story: str, request: Request, tags: Tags) -> Channel:
    with service.store.read() as connection:
        reader = StoryReader(connection, service.clock(), tags)
        # feed readers keep an address for ever: a merged story goes on in the other
        row = reader.story(reader.present_id(reader.story(story)))
        page = reader.articles(row, 50, None)
        shown = reader.out([row])[0]
        leads = article_leads(connection, [each.id for each in page.articles])
    place = feed_place(service, request, story_path(row.id))
    return story_channel(shown, page.articles, leads, place)


def atom_answer(channel: Channel) -> Response:
    """Return a feed as Atom."""
    return Response(atom(channel), media_type=ATOM_TYPE)


def json_answer(channel: Channel) -> Response:
    """Return a feed as JSON Feed."""
    return JSONResponse(json_feed(channel), media_type=JSON_FEED_TYPE)


def feed_place(service: Service, request: Request, page: str) -> FeedPlace:
    """Return where a feed is read, with all that was asked for, and its page."""
    base = service.base_url(str(request.base_url))
    path = with_query(request.url.path, dict(request.query_params))
    return FeedPlace(base, path, page)


def story_leads(connection: Connection, stories: Collection[str]) -> Leads:
    """Return the first sentences about stories."""
    found = story_openings(connection, stories).items()
    return {name: lead_text(opening) for name, opening in found}


def article_leads(connection: Connection, articles: Collection[str]) -> Leads:
    """Return the first sentences of articles."""
    found = openings(connection, articles).items()
    return {name: lead_text(opening) for name, opening in found}
