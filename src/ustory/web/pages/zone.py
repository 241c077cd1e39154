"""The choice of a time zone: it is kept in a cookie, and the page is shown again."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import RedirectResponse, Response

from ustory.web.errors import ApiError
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.reader_zone import LOCAL, ZONE_COOKIE, ReaderZone, zone_named

router = page_router()
_YEAR = 31_536_000
_MAX_SHOWN = 60
_Text = Annotated[str, Query(max_length=200)]


@router.get("/zone")
def choose_zone(
    zone: _Text = "",
    choose: _Text = "",
    back: Annotated[str, Query(max_length=4000)] = "/",
) -> Response:
    """Keep a zone for this reader and go back: `choose` of a button, or `zone`."""
    given = choose or zone
    name = zone_named(given.removeprefix(LOCAL))
    if name is None:
        raise ApiError(
            400,
            f"there is no time zone “{given[:_MAX_SHOWN]}”; write one like "
            "Europe/Berlin or America/New_York, or UTC",
        )
    kept = ReaderZone.of(f"{LOCAL if given.startswith(LOCAL) else ''}{name}")
    answer = RedirectResponse(own_path(back), 303, {"Cache-Control": "no-store"})
    # the script of the pages reads it, and a name has no character to be escaped
    answer.headers.append(
        "Set-Cookie",
        f"{ZONE_COOKIE}={kept.cookie}; Path=/; Max-Age={_YEAR}; SameSite=lax",
    )
    return answer


def own_path(back: str) -> str:
    r"""Return a path of this server; Now for anything that may lead elsewhere.

    >>> own_path("/stories/s1?by=source"), own_path("//evil.example"), own_path("/\\a")
    ('/stories/s1?by=source', '/', '/')
    """
    plain = back.isascii() and back.isprintable()
    if not plain or not back.startswith("/") or back[1:2] in ("/", "\\"):
        return "/"
    return back
