"""One JSON shape for every error, which never tells what is inside."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import HTTPException, RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as StarletteError
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ustory.store.errors import DBAPIError, Unavailable, reason_of

logger = logging.getLogger(__name__)

KINDS: Mapping[int, str] = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    409: "conflict",
    413: "too_large",
    421: "misdirected",
    422: "invalid",
    429: "too_many_requests",
    500: "internal",
    501: "not_installed",
    503: "unavailable",
}
"""What each status is called in `error.kind`."""

INTERNAL = "something went wrong here, and it was written to the log; try again later"
AWAY = "the database cannot be reached at the moment; try again in a few seconds"
NO_DATABASE: Mapping[str, str] = {
    "full": "the disk of the database is full, and nothing was written; reading goes "
    "on: free some space there, then send it again",
    "gone": AWAY,
    "busy": "the database is held by another writer; try again in a few seconds",
    "refused": "the database may not be written to; see the permissions of its files",
    "taken": "another service has taken this database, so this one stops; ask that one",
}
"""Why the database cannot be used, in words for those who ask."""
_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
RETRY_AFTER = 5
"""Seconds to wait when the database is away."""
LONG_WAIT = 60
"""Seconds to wait when somebody has to see to it first."""


class ApiError(HTTPException):
    """An answer that is an error, in words that the asker may read.

    FastAPI lets its own kind through where it would turn another into a 400: while
    a body is being read.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        details: Any = None,  # noqa: ANN401 - any JSON
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, message, dict(headers or {}))
        self.details = details

    def response(self) -> JSONResponse:
        """Return the answer to send."""
        return error_response(
            self.status_code, str(self.detail), self.details, self.headers
        )


def error_response(
    status: int,
    message: str,
    details: Any = None,  # noqa: ANN401 - any JSON
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return an error in the one shape: kind, message, details."""
    return JSONResponse(
        error_body(status, message, details), status, headers=dict(headers or {})
    )


def error_body(
    status: int,
    message: str,
    details: Any = None,  # noqa: ANN401 - any JSON
) -> dict[str, Any]:
    """Return the JSON of an error."""
    kind = KINDS.get(status, "error")
    return {"error": {"kind": kind, "message": message, "details": details}}


def install_errors(app: FastAPI) -> None:
    """Make an app answer in the one shape, whatever went wrong."""
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(StarletteError, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Unavailable, _database_away)
    app.add_exception_handler(DBAPIError, _database_away)


class CatchAll:
    """Answers what nobody caught with a plain 500, and logs the traceback."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and catch what it throws."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except ClientDisconnect:  # nobody is there to be told
            return
        except (KeyboardInterrupt, SystemExit, GeneratorExit, CancelledError):
            raise
        except BaseException:  # a panic of a compiled package is no Exception
            logger.exception("error in %s %s", *map(_shown, _asked(scope)))
            if started:  # half an answer cannot be made whole: cut the connection
                raise
            await error_response(500, INTERNAL)(scope, receive, send)


def _api_error(request: Request, error: Exception) -> JSONResponse:
    del request
    assert isinstance(error, ApiError)
    return error.response()


def _http_error(request: Request, error: Exception) -> JSONResponse:
    """Answer what the router refuses: no such path, no such method."""
    assert isinstance(error, StarletteError)
    status = error.status_code
    words = {
        404: f"there is nothing at {_shown(request.url.path)}",
        405: f"{_shown(request.method)} is not a method of this address",
        400: "the body is not JSON that can be read",
    }
    message = words.get(status, HTTPStatus(status).phrase)
    headers = dict(error.headers or {})
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_allowed(request))
    return error_response(status, message, headers=headers)


def _allowed(request: Request) -> list[str]:
    """Return the methods of an address, also where each has a route of its own.

    The first route that fits says which address it is: an id may hold slashes, so
    routes for one article also fit what is behind it.
    """
    fits = [
        route
        for route in _routes(request.app.routes)
        if route.matches(request.scope)[0] is not Match.NONE
    ]
    first = getattr(fits[0], "path", None) if fits else None
    same = [route for route in fits if getattr(route, "path", None) == first]
    asked = [{**request.scope, "method": method} for method in _METHODS]
    return [
        str(scope["method"])
        for scope in asked
        if any(route.matches(scope)[0] is Match.FULL for route in same)
    ]


def _routes(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """Yield routes one by one, those of routers that are included as well."""
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is None:
            yield route
        else:
            yield from _routes(included.routes)


def _invalid(request: Request, error: Exception) -> JSONResponse:
    """Answer what breaks the rules of the OpenAPI document, field by field."""
    del request
    assert isinstance(error, RequestValidationError)
    details = [
        {
            "where": ".".join(_shown(str(part)) for part in fault["loc"]),
            "problem": str(fault["msg"]),
        }
        for fault in error.errors()
    ]
    first = details[0] if details else {"where": "request", "problem": "invalid"}
    message = f"{first['where']}: {first['problem']}"
    return error_response(422, message, details)


def why_away(error: Exception) -> tuple[str, int]:
    """Return why the database cannot be used, and how many seconds to wait."""
    found = reason_of(error) if isinstance(error, DBAPIError) else None
    found = error.reason if isinstance(error, Unavailable) else found
    reason = found if found is not None and found in NO_DATABASE else "gone"
    return reason, LONG_WAIT if reason in ("full", "refused") else RETRY_AFTER


def _database_away(request: Request, error: Exception) -> JSONResponse:
    logger.error("database error in %s: %s", _shown(request.url.path), error)
    reason, wait = why_away(error)
    headers = {"Retry-After": str(wait)}
    return error_response(503, NO_DATABASE[reason], {"reason": reason}, headers)


def _asked(scope: Scope) -> tuple[str, str]:
    return scope["method"], scope["path"]


def _shown(text: str) -> str:
    """Return what was sent, short and printable."""
    return "".join(c if c.isprintable() else "?" for c in text[:100])
