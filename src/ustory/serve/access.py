"""What every endpoint is handed: the service, and the proof that it may be used."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from ustory.serve.errors import ApiError
from ustory.serve.service import Service

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


def needs_key(service: Served, credentials: _Credentials) -> None:
    """Refuse a request without a key that we know."""
    given = credentials.credentials if credentials else None
    if not service.keys.know(given):
        raise ApiError(
            401,
            "this needs an API key that the server knows; send it as "
            "`Authorization: Bearer KEY`",
            headers={"WWW-Authenticate": "Bearer"},
        )


def may_read(request: Request, service: Served, credentials: _Credentials) -> None:
    """Refuse a reader without a key; browsers send it as the password of a login.

    Only for reading: browsers add a login also to what other sites make them send.
    """
    given = credentials.credentials if credentials else None
    if not service.keys.know(given or password_in(request.headers)):
        raise ApiError(
            401,
            "reading needs an API key that the server knows; send it as "
            "`Authorization: Bearer KEY`, or as the password of a login",
            headers={"WWW-Authenticate": 'Bearer, Basic realm="ustory"'},
        )


def password_in(headers: Mapping[str, str]) -> str | None:
    """Return the password of a basic login, None if there is none.

    >>> password_in({"authorization": "Basic YTpi"}), password_in({})
    ('b', None)
    """
    scheme, _, login = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        return b64decode(login, validate=True).decode().partition(":")[2] or None
    except ValueError:
        return None


READS = [Depends(may_read)]
"""The dependencies of everything, where reading needs a key as well."""
WRITES = [Depends(needs_key)]
"""The dependencies of every endpoint that changes something."""
