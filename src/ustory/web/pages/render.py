"""Templates: what all pages share, and how a page is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime
from functools import cache
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from ustory.core import wording
from ustory.core.story import EventKind
from ustory.service.clock import StreamClock
from ustory.stories.story_languages import language_in
from ustory.web.pages import assets, formatting
from ustory.web.pages.reader_language import (
    LANGUAGE_COOKIE,
    LANGUAGES,
    ReaderLanguage,
    language,
    named_counts,
)
from ustory.web.pages.reader_zone import ZONE_COOKIE, ReaderZone
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
    feed: str = "/api/stories.atom"
    """The address of what is on the page as a feed."""
    event: int | None = None
    """The newest event on the page: live updates begin after it."""
    story: str | None = None
    """The only story whose events the page shows."""
    plots: bool = False
    """Whether it loads Plotly."""
    utc: bool = False
    """Whether its times are in UTC for every reader: it counts by stored days."""


def show(
    request: Request, service: Service, page: Page, status: int = 200
) -> HTMLResponse:
    """Return a rendered page."""
    template = environment().get_template(f"{page.name}.html")
    theme = request.cookies.get(THEME)
    reading = reader_of(request)
    if reading.chosen and reading.tags:  # a feed of what is on screen, as it is there
        joint = "&" if "?" in page.feed else "?"
        page = replace(page, feed=f"{page.feed}{joint}reader={reading.tags[0]}")
    shared = {
        "page": page,
        "nav": NAV,
        "theme": theme if theme in ("light", "dark") else None,
        "now": service.clock(),
        "stream": isinstance(service.clock, StreamClock),
        "version": version("ustory"),
        "zone": ReaderZone() if page.utc else zone_of(request),
        "reading": reading,
        "wall": service.rules.wall(),
        "back": path_of(request),
        "address": service.base_url(str(request.base_url)) + path_of(request)[1:],
    }
    headers = {
        "Content-Security-Policy": PLOT_POLICY if page.plots else PAGE_POLICY,
        "Cache-Control": "private, no-cache",
        "Vary": "Cookie, Accept-Language",
    }
    return HTMLResponse(template.render({**shared, **page.values}), status, headers)


def zone_of(request: Request) -> ReaderZone:
    """Return the time zone of a reader; UTC until a cookie names another."""
    return ReaderZone.of(request.cookies.get(ZONE_COOKIE))


def reader_of(request: Request) -> ReaderLanguage:
    """Return the languages of a reader: of a cookie, else of the browser."""
    return ReaderLanguage.of(
        request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language")
    )


def path_of(request: Request) -> str:
    """Return the path and the query of a request, as the browser sent them."""
    path = request.scope.get("raw_path") or quote(request.scope["path"]).encode()
    query: bytes = request.scope["query_string"]
    sent: str = (path + (b"?" + query if query else b"")).decode("latin-1")
    return quote(sent, safe="/:?#[]@!$&'()*+,;=%-._~")


@pass_context
def _is_read(context: Context, tag: str) -> bool:
    """Return whether a language is one of the reader's; all are where none is known."""
    tags = context["reading"].tags
    return not tags or language_in(tag) in {language_in(each) for each in tags}


def _is_english(tag: str) -> bool:
    """Return whether a language is that of the pages."""
    return language_in(tag) == "en"


@pass_context
def _exact(context: Context, moment: datetime) -> str:
    return wording.exact(moment, context["zone"].info)


@pass_context
def _ago(context: Context, moment: datetime, now: datetime) -> str:
    return formatting.ago(moment, now, context["zone"].info)


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
        "ago": _ago,
        "exact": _exact,
        "iso": wording.utc_text,
        "long_day": formatting.long_day,
        "short_day": formatting.short_day,
        "number": formatting.number,
        "percent": wording.percent,
        "listed": wording.listed,
        "language": language,
    }
    made.globals |= {
        "event_kinds": " ".join(EventKind),
        "many": wording.many,
        "all_languages": sorted(LANGUAGES.items(), key=lambda pair: pair[1]),
        "story_path": formatting.story_path,
        "article_path": formatting.article_path,
        "with_query": formatting.with_query,
        "static": assets.static_path,
        "modules": assets.modules,
        "is_english": _is_english,
        "is_read": _is_read,
        "named_counts": named_counts,
    }
    return made
