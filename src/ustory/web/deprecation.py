"""How an endpoint says that it is deprecated: to programs, in headers.

`Deprecation` (RFC 9745) says since when, `Sunset` (RFC 8594) from when on it may be
gone, and `Link` where to read what to use instead. The OpenAPI document marks it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

_Handler = Callable[[Request], Coroutine[Any, Any, Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """What is deprecated, since when, until when it works, and where to read more."""

    since: datetime
    """When it was deprecated: the release that says so."""
    sunset: datetime
    """It works at least until then."""
    link: str
    """The address of a page that says what to use instead."""
    parameters: frozenset[str] = frozenset()
    """The query parameters that are deprecated; none is the whole endpoint."""

    def headers(self) -> dict[str, str]:
        """Return the headers of an answer.

        >>> from datetime import UTC
        >>> day = datetime(2027, 1, 1, tzinfo=UTC)
        >>> told = Deprecation(since=day, sunset=day, link="https://a.example/")
        >>> told.headers()["Deprecation"], told.headers()["Sunset"]
        ('@1798761600', 'Fri, 01 Jan 2027 00:00:00 GMT')
        """
        where = f'<{self.link}>; type="text/html"'
        return {
            "Deprecation": f"@{int(self.since.timestamp())}",
            "Sunset": format_datetime(self.sunset.astimezone(UTC), usegmt=True),
            "Link": f'{where}; rel="deprecation", {where}; rel="sunset"',
        }

    def concerns(self, request: Request) -> bool:
        """Return whether a request uses what is deprecated."""
        return not self.parameters or bool(self.parameters & set(request.query_params))


def deprecated_route(deprecation: Deprecation) -> type[APIRoute]:
    """Return the class of routes that say in each answer that they are deprecated.

    Use it as `APIRouter(route_class=deprecated_route(…))`. Refusals of the endpoint say
    so as well.
    """

    class DeprecatedRoute(APIRoute):
        """A route that is deprecated, or some of its parameters."""

        def __init__(self, *given: Any, **options: Any) -> None:  # noqa: ANN401 - FastAPI's
            if not deprecation.parameters:
                options["deprecated"] = True
            super().__init__(*given, **options)

        def get_route_handler(self) -> _Handler:
            """Return the handler; its answers have the headers."""
            handle = super().get_route_handler()

            async def announced(request: Request) -> Response:
                told = deprecation.headers() if deprecation.concerns(request) else {}
                try:
                    answer = await handle(request)
                except HTTPException as error:
                    error.headers = {**(error.headers or {}), **told}
                    raise
                answer.headers.update(told)
                return answer

            return announced

    return DeprecatedRoute
