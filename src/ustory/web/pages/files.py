"""Style sheets and scripts, and Plotly's from the package that is installed."""

from __future__ import annotations

import gzip
from functools import cache
from hashlib import sha256
from importlib.resources import files
from os import PathLike, stat_result

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from ustory.web.errors import ApiError

LONG = "public, max-age=31536000, immutable"
"""For files with their version in the address."""
_AGAIN = "no-cache"
_DAY = "public, max-age=86400"

router = APIRouter(include_in_schema=False)


class Files(StaticFiles):
    """The folder of files; those with a version in the address are cached for long."""

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat_result: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Return a file, or that it has not changed."""
        answer = super().file_response(full_path, stat_result, scope, status_code)
        named = scope["query_string"].startswith(b"v=")
        answer.headers["Cache-Control"] = LONG if named else _AGAIN
        return answer


@router.get("/static/plotly.min.js")
def plotly(request: Request) -> Response:
    """Return Plotly's script, compressed if the browser accepts that."""
    plain, packed, tag = _plotly()
    headers = {"Cache-Control": _DAY, "ETag": tag, "Vary": "Accept-Encoding"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(plain, 200, headers, "text/javascript")
    headers["Content-Encoding"] = "gzip"
    return Response(packed, 200, headers, "text/javascript")


@cache
def _plotly() -> tuple[bytes, bytes, str]:
    try:
        script = files("plotly").joinpath("package_data/plotly.min.js").read_bytes()
    except (ModuleNotFoundError, FileNotFoundError):
        raise ApiError(
            501, "plots need Plotly: install it with pip install 'ustory[serve]'"
        ) from None
    tag = f'"{sha256(script).hexdigest()[:20]}"'
    return script, gzip.compress(script, 6, mtime=0), tag
