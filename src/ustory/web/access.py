"""Dependencies of endpoints: the service, the caller, and permissions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from ustory.web.errors import ApiError
from ustory.web.guards import READING
from ustory.web.keys import CALLER, SCOPES, Caller, caller_of
from ustory.web.service import Service

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="key",
    description="An API key: `Authorization: Bearer KEY`.",
)
_Credentials = Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)]


def the_service(request: Request) -> Service:
    """Return the service that the app was made for."""
    service = request.app.state.service
    assert isinstance(service, Service)
    return service


Served = Annotated[Service, Depends(the_service)]


def the_caller(request: Request) -> Caller:
    """Return who sent a request; the name is None without a key."""
    found = request.scope.get(CALLER)
    if isinstance(found, Caller):
        return found
    return caller_of(request.scope, the_service(request).keys)


Calling = Annotated[Caller, Depends(the_caller)]


def check_writer(caller: Caller, scope: str) -> None:
    """Refuse a caller without a key that has a scope.

    A key sent as a login does not count: browsers also send it for other sites.
    """
    if caller.name is None or caller.by_login:
        raise ApiError(
            401,
            "this needs an API key that the server knows; send it as "
            "`Authorization: Bearer KEY`",
            headers={"WWW-Authenticate": "Bearer"},
        )
    _check_scope(caller, scope)


def check_reader(caller: Caller) -> None:
    """Refuse a reader of a private service without a key for reading."""
    if caller.name is None:
        raise ApiError(
            401,
            "reading needs an API key that the server knows; send it as "
            "`Authorization: Bearer KEY`, or as the password of a login",
            headers={"WWW-Authenticate": 'Bearer, Basic realm="ustory"'},
        )
    _check_scope(caller, "read")


def _check_scope(caller: Caller, scope: str) -> None:
    if not caller.may(scope):
        raise ApiError(
            403,
            f"the key {caller.name} may not do this; it needs the scope {scope}: "
            f"{SCOPES[scope]}",
        )


def _needs(scope: str) -> Callable[..., None]:
    def needs(caller: Calling, credentials: _Credentials) -> None:
        del credentials  # only for the OpenAPI document
        check_writer(caller, scope)

    return needs


def _may_read(request: Request, caller: Calling, credentials: _Credentials) -> None:
    del credentials
    # writing is checked by its own scope, and does not need that of reading
    if request.method in READING:
        check_reader(caller)


def _may_ask(service: Served, caller: Calling) -> None:
    if service.rules.private:
        check_reader(caller)


def writes(scope: str) -> list[Any]:
    """Return the dependencies of an endpoint that needs a key with a scope."""
    assert scope in SCOPES
    return [Security(_needs(scope), scopes=[scope])]


ASKS = [Depends(_may_ask)]
"""The dependencies of endpoints that change nothing but are no GET."""
READS = [Depends(_may_read)]
"""The dependencies of all endpoints of a private service."""
