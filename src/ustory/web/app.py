"""The app: routes, rules and errors, put together for one service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.middleware import Middleware

from ustory.web.access import READS
from ustory.web.api import (
    articles,
    events,
    export,
    feeds,
    feeds_out,
    health,
    stories,
    views,
    watchlists,
)
from ustory.web.errors import CatchAll, install_errors
from ustory.web.guards import BodyLimit, RateLimit, Turns, Unread
from ustory.web.hosts import HostCheck
from ustory.web.metrics import CountRequests
from ustory.web.pages.mounting import mount_pages
from ustory.web.private import Private
from ustory.web.security import SecurityHeaders
from ustory.web.service import Service

_ABOUT = """\
Reads an endless stream of news and tells the stories in it, as they happen.

Times are RFC 3339 in UTC. Lists are pages: give `next` of one as `cursor` for the
following one. Every error has one shape: `{"error": {"kind", "message", "details"}}`.
Writing needs an API key: `Authorization: Bearer KEY`.
"""
_ROUTERS = (stories, feeds_out, articles, events, watchlists, feeds, export, views)


def create_app(service: Service) -> FastAPI:
    """Return the app of a service, which lives as long as the app does."""

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
        openapi_url="/api/openapi.json",
        docs_url=None,  # they load scripts from other people's servers
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    install_errors(app)
    readers = READS if service.rules.private else []
    for each in _ROUTERS:
        app.include_router(each.router, dependencies=readers)
    app.include_router(health.router)
    app.include_router(health.inside, dependencies=readers)
    mount_pages(app, readers)
    return app


def _layers(service: Service) -> list[Middleware]:
    """Return what every request goes through, from the outside in."""
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
    ]
