"""All pages, put into the app."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import FastAPI
from fastapi.params import Depends

from ustory.web.pages import (
    article,
    files,
    map,  # noqa: A004 - a page is named as its address is
    now,
    operations,
    sources,
    story,
    timeline,
    watch,
)
from ustory.web.pages.error_pages import install_faults
from ustory.web.pages.links import STATIC

PAGES = (now, story, article, timeline, map, watch, sources, operations)
"""The pages; each module has a `router`."""


def mount_pages(app: FastAPI, readers: Sequence[Depends]) -> None:
    """Add the pages and their files to an app; `readers` is who may look."""
    for page in PAGES:
        app.include_router(page.router, dependencies=readers)
    app.include_router(files.router)
    app.mount("/static", files.Files(directory=STATIC), name="static")
    install_faults(app)
