"""One JSON shape for every error, which never reveals internals."""

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
"""The name of each status in `error.kind`."""

INTERNAL = "something went wrong; the server has logged it; try again later"
AWAY = "the database cannot be reached at the moment; try again in a few seconds"
NO_DATABASE: Mapping[str, str] = {
    "full": "the disk of the database is full, and nothing was written; reading still "
    "works: free some space there, then send it again",
    "gone": AWAY,
    "busy": "another writer holds the database; try again in a few seconds",
    "refused": "the database is not writable; check the permissions of its files",
    "taken": "another service has taken this database, so this one stops; use that one",
}
"""Why the database cannot be used, in words for callers."""
_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
RETRY_AFTER = 5
"""Seconds to wait if the database is unavailable."""
LONG_WAIT = 60
"""Seconds to wait if somebody has to repair something first."""


class ApiError(HTTPException):
    """An error with a message for the caller.

    It is an HTTPException of FastAPI, which would turn any other exception into a 400
    while a body is being read.
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
    """Make an app answer all errors in this shape."""
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(StarletteError, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Unavailable, _database_error)
    app.add_exception_handler(DBAPIError, _database_error)


class CatchAll:
    """Answers uncaught errors with a plain 500, and logs the traceback."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and catch its errors."""
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
        except ClientDisconnect:  # there is nobody to answer
            return
        except (KeyboardInterrupt, SystemExit, GeneratorExit, CancelledError):
            raise
        except BaseException:  # a panic of a compiled package is no Exception
            logger.exception("error in %s %s", *map(printable, _asked(scope)))
            if started:  # a partial answer cannot be completed: cut the connection
                raise
            await error_response(500, INTERNAL)(scope, receive, send)


def _api_error(request: Request, error: Exception) -> JSONResponse:
    del request
    assert isinstance(error, ApiError)
    return error.response()


def _http_error(request: Request, error: Exception) -> JSONResponse:
    """Answer errors of the router: no such path, no such method."""
    assert isinstance(error, StarletteError)
    status = error.status_code
    words = {
        404: f"there is nothing at {printable(request.url.path)}",
        405: f"{printable(request.method)} is not allowed at this address",
        400: "the body is not JSON that can be read",
    }
    message = words.get(status, HTTPStatus(status).phrase)
    headers = dict(error.headers or {})
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(allowed_methods(request))
    return error_response(status, message, headers=headers)


def allowed_methods(request: Request) -> list[str]:
    """Return the methods of an address, even if each has its own route.

    The first route that matches decides which address it is: an id may hold slashes,
    so routes of one article also match longer paths.
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
    """Yield all routes, including those of included routers."""
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is None:
            yield route
        else:
            yield from _routes(included.routes)


def _invalid(request: Request, error: Exception) -> JSONResponse:
    """Answer violations of the OpenAPI document, field by field."""
    del request
    assert isinstance(error, RequestValidationError)
    details = [
        {
            "where": ".".join(printable(str(part)) for part in fault["loc"]),
            "problem": str(fault["msg"]),
        }
        for fault in error.errors()
    ]
    first = details[0] if details else {"where": "request", "problem": "invalid"}
    message = f"{first['where']}: {first['problem']}"
    return error_response(422, message, details)


def database_reason(error: Exception) -> tuple[str, int]:
    """Return why the database cannot be used, and how many seconds to wait."""
    found = reason_of(error) if isinstance(error, DBAPIError) else None
    found = error.reason if isinstance(error, Unavailable) else found
    reason = found if found is not None and found in NO_DATABASE else "gone"
    return reason, LONG_WAIT if reason in ("full", "refused") else RETRY_AFTER


def _database_error(request: Request, error: Exception) -> JSONResponse:
    logger.error("database error in %s: %s", printable(request.url.path), error)
    reason, wait = database_reason(error)
    headers = {"Retry-After": str(wait)}
    return error_response(503, NO_DATABASE[reason], {"reason": reason}, headers)


def _asked(scope: Scope) -> tuple[str, str]:
    return scope["method"], scope["path"]


def printable(text: str) -> str:
    """Return text of a request, short and printable."""
    return "".join(c if c.isprintable() else "?" for c in text[:100])
