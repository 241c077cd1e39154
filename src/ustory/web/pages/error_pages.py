"""Errors as pages: a request for a page is answered with a page."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from ustory.store.errors import DBAPIError, Unavailable
from ustory.web.access import the_service
from ustory.web.errors import (
    INTERNAL,
    NO_DATABASE,
    ApiError,
    database_reason,
    printable,
)
from ustory.web.pages.render import Page, show

logger = logging.getLogger(__name__)

_TITLES = {
    400: "This cannot be shown",
    401: "A key is needed",
    404: "There is nothing here",
    501: "Something is not installed",
    503: "The database is unavailable",
}
_NOTHING = "There is nothing at this address. It may be mistyped, or was removed."
_Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> _Handler:
        """Return the handler; its errors become pages."""
        handle = super().get_route_handler()

        async def safely(request: Request) -> Response:
            try:
                return await handle(request)
            except (RequestValidationError, HTTPException) as error:
                return _refusal(request, error)
            except (Unavailable, DBAPIError) as error:
                logger.error("database error in %s: %s", request.url.path, error)
                reason, wait = database_reason(error)
                answer = fault(request, 503, NO_DATABASE[reason])
                answer.headers["Retry-After"] = str(wait)
                return answer
            except Exception:
                logger.exception("error in page %s", request.url.path)
                return fault(request, 500, INTERNAL)

        return safely


def page_router() -> APIRouter:
    """Return a router of pages: its errors are pages, and OpenAPI does not list it."""
    return APIRouter(
        route_class=PageRoute,
        include_in_schema=False,
        default_response_class=HTMLResponse,
    )


def fault(request: Request, status: int, message: str, plain: str = "") -> Response:
    """Return the page of an error; `plain` is an address that can be shown."""
    title = _TITLES.get(status, "Something went wrong")
    values = {"message": message, "status": status, "plain": plain}
    page = Page("fault", title, values)
    return show(request, the_service(request), page, status)


def install_faults(app: FastAPI) -> None:
    """Answer browsers with a page at addresses that do not exist."""

    def nothing(request: Request, error: Exception) -> Any:  # noqa: ANN401 - see below
        wants = "text/html" in request.headers.get("accept", "")
        ours = request.url.path.startswith(("/api/", "/static/"))
        if wants and not ours and not isinstance(error, ApiError):
            return fault(request, 404, _NOTHING)
        # the answer of the API
        kind = ApiError if isinstance(error, ApiError) else HTTPException
        return app.exception_handlers[kind](request, error)

    app.add_exception_handler(404, nothing)


def _refusal(
    request: Request, error: RequestValidationError | HTTPException
) -> Response:
    plain = request.url.path if request.query_params else ""
    if isinstance(error, HTTPException):
        said = str(error.detail)
        answer = fault(request, error.status_code, said, plain if _ours(error) else "")
        answer.headers.update(error.headers or {})
        return answer
    first = error.errors()[0]
    if first["loc"][0] == "path":
        return fault(request, 404, _NOTHING)
    name, given = printable(str(first["loc"][-1])), printable(str(first["input"]))
    said = f"The address asks for {name}={given}, which this page does not have. "
    rule = str(first["msg"]).replace("Input should", "It should").partition(", unable")
    return fault(request, 400, f"{said}{rule[0]}.", plain)


def _ours(error: HTTPException) -> bool:
    """Whether it is the query that cannot be shown."""
    return error.status_code == HTTPStatus.BAD_REQUEST
