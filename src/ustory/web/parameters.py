"""Query parameters of the API: one that an address does not have is refused.

Pages ignore such parameters: links to them get some on their way (`utm_source`).
A program that misspells a filter must not be sent more than it asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from ustory.web.errors import ApiError, allowed_methods, printable

_MOST_NAMED = 5
"""Unknown parameters that an answer names."""


def parameter_names(route: APIRoute) -> list[str]:
    """Return the query parameters of a route, those of its dependencies included."""
    return sorted(set(_names(route.dependant)))


async def check_parameters(request: Request) -> None:
    """Refuse a request with a query parameter that its route does not have."""
    if not request.query_params:
        return
    route = request.scope["route"]
    known = parameter_names(route) if isinstance(route, APIRoute) else []
    unknown = [name for name in request.query_params if name not in known]
    if not unknown:
        return
    # an id may hold slashes: with these parameters it may be another address
    if request.method not in allowed_methods(request):
        raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED)
    raise _refused(unknown, known)


KNOWN_ONLY = [Depends(check_parameters)]
"""The dependencies of all endpoints of the API."""


def _names(dependant: Dependant) -> Iterator[str]:
    for each in dependant.query_params:
        kind = each.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            fields = kind.model_fields.items()
            yield from (field.alias or name for name, field in fields)
        else:
            yield each.alias
    for other in dependant.dependencies:
        yield from _names(other)


def _refused(unknown: list[str], known: list[str]) -> ApiError:
    named = [printable(name) for name in dict.fromkeys(unknown)][:_MOST_NAMED]
    there = f"those it has are {', '.join(known)}" if known else "it has none"
    said = f"this address has no parameter {', '.join(named)}; {there}"
    details = [
        {"where": f"query.{name}", "problem": "there is no such parameter"}
        for name in named
    ]
    return ApiError(400, said, details=details)
