"""The choice of a language: it is kept in a cookie, and the page is shown again."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import RedirectResponse, Response

from ustory.web.errors import ApiError
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.reader_language import LANGUAGE_COOKIE, MOST_COMMON, tag_named
from ustory.web.pages.zone import own_path

router = page_router()
_YEAR = 31_536_000
_MAX_SHOWN = 60
_Text = Annotated[str, Query(max_length=200)]


@router.get("/language")
def choose_language(
    language: _Text = "",
    choose: _Text = "",
    back: Annotated[str, Query(max_length=4000)] = "/",
) -> Response:
    """Keep a language for this reader and go back: `choose` of a button, or `language`.

    Nothing, or `browser`, forgets what was chosen.
    """
    given = (choose or language).strip()
    kept: str | None = "" if given in ("", "browser") else given
    if kept and kept != MOST_COMMON:
        kept = tag_named(given)
    if kept is None:
        raise ApiError(
            400,
            f"there is no language “{given[:_MAX_SHOWN]}”; write one like German, or "
            "its tag, like de",
        )
    answer = RedirectResponse(own_path(back), 303, {"Cache-Control": "no-store"})
    answer.set_cookie(
        LANGUAGE_COOKIE,
        kept,
        max_age=_YEAR if kept else 0,
        httponly=True,
        samesite="lax",
    )
    return answer
