"""A private service: nothing is told to anybody without a key."""

from __future__ import annotations

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from ustory.web.access import check_reader, the_caller
from ustory.web.errors import ApiError
from ustory.web.guards import READING
from ustory.web.pages.error_pages import fault

_OPEN = "/healthz"
"""Says that the process is alive, and nothing else."""
_FOR_PROGRAMS = ("/api", "/static", "/metrics", "/readyz")


class Private:
    """Refuses every request without a key that may read, whatever it asks for.

    Endpoints ask for a key themselves as well; this holds also for what is no
    endpoint, and for what is added and forgets to ask.
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
            # writes ask for their own scope, and need none for reading
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
