"""Templates: what all pages share, and how a page is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from ustory.core import wording
from ustory.core.story import EventKind
from ustory.service.clock import StreamClock
from ustory.web.pages import assets, formatting
from ustory.web.security import PAGE_POLICY, PLOT_POLICY
from ustory.web.service import Service

NAV = (
    ("now", "/", "Now"),
    ("timeline", "/timeline", "Timeline"),
    ("map", "/map", "Map"),
    ("watch", "/watch", "Watch"),
    ("sources", "/sources", "Sources"),
    ("operations", "/operations", "Operations"),
)
"""The pages that every page links to: name, address, title."""
THEME = "ustory-theme"
"""The cookie that remembers light or dark."""


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a page for its template, `NAME.html`."""

    name: str
    title: str
    values: Mapping[str, Any]
    """The values for the template."""
    _: KW_ONLY
    nav: str = ""
    """The entry of `NAV` for this page, if it is not its name."""
    twin: str | None = None
    """The address of the same content as JSON."""
    event: int | None = None
    """The newest event on the page: live updates begin after it."""
    story: str | None = None
    """The only story whose events the page shows."""
    plots: bool = False
    """Whether it loads Plotly."""


def show(
    request: Request, service: Service, page: Page, status: int = 200
) -> HTMLResponse:
    """Return a rendered page."""
    template = environment().get_template(f"{page.name}.html")
    theme = request.cookies.get(THEME)
    shared = {
        "page": page,
        "nav": NAV,
        "theme": theme if theme in ("light", "dark") else None,
        "now": service.clock(),
        "stream": isinstance(service.clock, StreamClock),
        "version": version("ustory"),
    }
    headers = {
        "Content-Security-Policy": PLOT_POLICY if page.plots else PAGE_POLICY,
        "Cache-Control": "private, no-cache",
        "Vary": "Cookie",
    }
    return HTMLResponse(template.render({**shared, **page.values}), status, headers)


@cache
def environment() -> Environment:
    """Return the templates; all their output is escaped."""
    made = Environment(
        loader=PackageLoader("ustory.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "ago": formatting.ago,
        "exact": wording.exact,
        "iso": wording.utc_text,
        "long_day": formatting.long_day,
        "short_day": formatting.short_day,
        "number": formatting.number,
        "percent": wording.percent,
        "listed": wording.listed,
    }
    made.globals |= {
        "event_kinds": " ".join(EventKind),
        "many": wording.many,
        "story_path": formatting.story_path,
        "article_path": formatting.article_path,
        "with_query": formatting.with_query,
        "static": assets.static_path,
        "modules": assets.modules,
    }
    return made
