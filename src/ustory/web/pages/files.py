"""The route of style sheets and scripts."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ustory.web.compression import accepts_gzip
from ustory.web.entity_tags import is_known
from ustory.web.errors import ApiError
from ustory.web.pages.assets import PLOTLY, Asset, assets, plotly, static_path

KEPT = "public, max-age=31536000, immutable"
"""For an address with the version that the file has now."""
_AGAIN = "no-cache"

router = APIRouter(include_in_schema=False)


@router.api_route("/static/{name:path}", methods=["GET", "HEAD"])
def static(request: Request, name: str) -> Response:
    """Return a file, compressed if the browser accepts that, or that it is known."""
    asset = plotly() if name == PLOTLY else assets().get(name)
    if asset is None:
        raise ApiError(404, "there is no such file")
    asked = f"/static/{name}?{request.url.query}"
    headers = {
        "Cache-Control": KEPT if asked == static_path(name) else _AGAIN,
        "ETag": asset.tag,
        "Vary": "Accept-Encoding",
    }
    if is_known(asset.tag, request.headers.get("if-none-match")):
        return Response(status_code=304, headers=headers)
    return _whole(asset, request, headers)


def _whole(asset: Asset, request: Request, headers: dict[str, str]) -> Response:
    if not accepts_gzip(request.headers.get("accept-encoding")):
        return Response(asset.plain, 200, headers, asset.media_type)
    headers["Content-Encoding"] = "gzip"
    return Response(asset.packed, 200, headers, asset.media_type)
