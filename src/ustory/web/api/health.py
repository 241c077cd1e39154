"""Whether the service is alive, ready, and how it does."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from ustory.web.access import Served
from ustory.web.health import AWAY, METRICS_EXAMPLE, METRICS_TYPE
from ustory.web.models.operations import Health, Readiness
from ustory.web.models.shared import example_of
from ustory.web.openapi_answers import shown, streamed

router = APIRouter(tags=["operations"])
inside = APIRouter(tags=["operations"])
"""What says more than that the process is alive."""
_NOT_READY = {
    **example_of(Readiness),
    "status": "not ready",
    "database": False,
    "slide": None,
    "slide_end": None,
    "problem": "the database cannot be reached",
    "standing": AWAY.model_dump(),
}


@router.get("/healthz", responses=shown(Health))
async def healthz(service: Served) -> Health:
    """Say that the process answers, and of which version it is unless it is private."""
    told = None if service.rules.private else version("ustory")
    return Health(status="ok", version=told)


@inside.get(
    "/readyz",
    response_model=Readiness,
    responses={
        **shown(Readiness),
        503: {
            "model": Readiness,
            "description": "Something stands in the way.",
            "content": {"application/json": {"example": _NOT_READY}},
        },
    },
)
def readyz(service: Served) -> Response:
    """Say whether the database can be read and slides are being done."""
    found = service.readiness()
    status = 200 if found.status == "ok" else 503
    return JSONResponse(found.model_dump(mode="json"), status)


@inside.get(
    "/metrics",
    response_class=Response,
    responses=streamed({"text/plain": METRICS_EXAMPLE}, "For Prometheus."),
)
def prometheus(service: Served) -> Response:
    """Return counters and gauges in the format of Prometheus."""
    service.measure()
    return Response(service.metrics.text(), media_type=METRICS_TYPE)
