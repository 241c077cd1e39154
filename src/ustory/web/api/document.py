"""The OpenAPI document."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

router = APIRouter(prefix="/api", include_in_schema=False)


@router.get("/openapi.json")
def document(request: Request) -> JSONResponse:
    """Return the description of this API, with an example of every answer."""
    return JSONResponse(request.app.openapi())
