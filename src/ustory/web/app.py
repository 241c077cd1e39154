"""The app: routes, pages, rules and errors, put together for one service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, Request
from fastapi.params import Depends
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from ustory.web.access import READS, check_reader, the_caller
from ustory.web.api import (
    articles,
    document,
    events,
    export,
    feeds,
    feeds_out,
    health,
    search,
    stories,
    views,
    watchlists,
)
from ustory.web.compression import Compression
from ustory.web.entity_tags import EntityTags
from ustory.web.errors import ApiError, CatchAll, install_errors
from ustory.web.guards import READING, BodyLimit, RateLimit, Turns, Unread
from ustory.web.health import CountRequests
from ustory.web.pages import (
    article,
    choose_language,
    files,
    map,  # noqa: A004 - a page is named as its address is
    now,
    operations,
    sources,
    story,
    timeline,
    watch,
    zone,
)
from ustory.web.pages.error_pages import fault, install_faults
from ustory.web.parameters import KNOWN_ONLY
from ustory.web.security import HostCheck, SecurityHeaders
from ustory.web.service import Service

_ABOUT = """\
Reads an endless stream of news and finds the stories in it, as they happen.

Times are RFC 3339 in UTC. Lists are pages: give `next` of one as `cursor` for the
following one. Every error has one shape: `{"error": {"kind", "message", "details"}}`.
Writing needs an API key: `Authorization: Bearer KEY`. An answer has an `ETag`: send it
as `If-None-Match`, and what has not changed is answered with 304 and no body. Answers
are compressed if `Accept-Encoding` allows gzip.
"""
_ROUTERS = (
    stories, search, feeds_out, articles, events, watchlists, feeds, export, views,
    document,
)  # fmt: skip

_OPEN = "/healthz"
"""The path that only says that the process is alive."""
_FOR_PROGRAMS = ("/api", "/static", "/metrics", "/readyz")


def create_app(service: Service) -> FastAPI:
    """Return the app of a service; it starts and stops the service."""

    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[None]:
        del app
        try:
            await service.start()
            yield
        finally:
            await service.stop()

    app = FastAPI(
        title="ustory",
        version=version("ustory"),
        description=_ABOUT,
        lifespan=alive,
        middleware=_layers(service),
        openapi_url=None,  # `document` serves it
        docs_url=None,  # these pages load scripts from other servers
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    install_errors(app)
    readers = READS if service.rules.private else []
    for each in _ROUTERS:
        app.include_router(each.router, dependencies=[*readers, *KNOWN_ONLY])
    app.include_router(health.router)
    app.include_router(health.inside, dependencies=readers)
    mount_pages(app, readers)
    return app


def _layers(service: Service) -> list[Middleware]:
    """Return the middleware of every request, from the outside in."""
    rules = service.rules
    private = [Middleware(Private)] if rules.private else []
    return [
        Middleware(SecurityHeaders),
        Middleware(CountRequests, metrics=service.metrics),
        Middleware(CatchAll),
        Middleware(HostCheck, hosts=rules.hosts),
        Middleware(
            RateLimit, limits=rules.limits, keys=rules.keys, clock=rules.seconds
        ),
        *private,
        Middleware(Unread, private=rules.private),
        Middleware(BodyLimit, limits=rules.limits),
        Middleware(Turns, limits=rules.limits),
        Middleware(Compression),
        Middleware(EntityTags, private=rules.private),
    ]


class Private:
    """Refuses every request without a key for reading.

    Endpoints check the key as well; this also covers static files, and endpoints
    that are added without a check.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http" or scope["path"] == _OPEN:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            # writes check their own scope, and need none for reading
            if scope["method"] in READING:
                check_reader(the_caller(request))
        except ApiError as error:
            await _answered(request, error)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _answered(request: Request, error: ApiError) -> ASGIApp:
    """Return the refusal: a page for readers, JSON for programs."""
    wants = "text/html" in request.headers.get("accept", "")
    if not wants or request.url.path.startswith(_FOR_PROGRAMS):
        return error.response()
    page = fault(request, error.status_code, str(error.detail))
    page.headers.update(error.headers or {})
    return page


PAGES = (
    *(now, story, article, timeline, map, watch, sources, operations),
    *(zone, choose_language),
)
"""The pages; each module has a `router`."""


def mount_pages(app: FastAPI, readers: Sequence[Depends]) -> None:
    """Add the pages and their files to an app; `readers` checks who may read."""
    for page in PAGES:
        app.include_router(page.router, dependencies=readers)
    app.include_router(files.router)
    install_faults(app)
