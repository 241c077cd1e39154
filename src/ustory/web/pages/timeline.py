"""Timeline: how large the top stories were, day by day and hour by hour (Fig. 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import Response

from ustory.core.wording import many, utc_text
from ustory.store.results import last_event
from ustory.store.slides import last_done
from ustory.web.access import Served
from ustory.web.api.views import StretchIn
from ustory.web.models.views import LineOut, TimelineOut
from ustory.web.pages.charts import area, edge, ticks
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.formatting import with_query
from ustory.web.pages.render import Page, reader_of, show
from ustory.web.view_data import MAX_DAYS_BY_HOUR, timeline

SPANS = {"day": (7, 14, 30, 90), "hour": (1, 3, 7)}
"""The lengths in days to choose from, by the length of a step."""

router = page_router()


@router.get("/timeline")
def timeline_page(
    request: Request, service: Served, wanted: Annotated[StretchIn, Query()]
) -> Response:
    """Show the timeline."""
    with service.store.read() as connection:
        stretch = replace(wanted.stretch(), reader=reader_of(request).tags)
        found = timeline(connection, service, stretch)
        done = last_done(connection)
        event = last_event(connection)
    asked = _asked(wanted)
    values = {
        "script": "timeline" if found.stories else "first",
        "found": found,
        "rows": _rows(found),
        "most": max((max(line.sizes) for line in found.stories), default=0),
        "summary": _summary(found),
        "numbers": _numbers(found, asked),
        "choices": _choices(wanted, asked),
        "pager": _pager(found, wanted, asked, done.end if done else None),
        "data": with_query("/api/timeline", {**asked, "until": utc_text(found.until)}),
        "ticks": ticks(found.steps, by_hour=found.zoom == "hour"),
        "window_days": max(round(found.window_hours / 24), 1),
    }
    twin = with_query("/api/timeline", asked)
    page = Page(
        "timeline", "Timeline", values, twin=twin, event=event, plots=True, utc=True
    )
    return show(request, service, page)


def _asked(wanted: StretchIn) -> dict[str, object]:
    """Return the parameters that differ from the defaults."""
    given = wanted.model_dump(exclude_defaults=True)
    if wanted.until is not None:
        given["until"] = utc_text(wanted.until)
    return given


def _rows(found: TimelineOut) -> list[dict[str, Any]]:
    most = max((max(line.sizes) for line in found.stories), default=0)
    return [
        {
            "story": line.story,
            "area": area(line.sizes, most),
            "edge": edge(line.sizes, most),
            "words": _in_words(line, found),
            "new": sum(line.articles),
        }
        for line in found.stories
    ]


def _in_words(line: LineOut, found: TimelineOut) -> str:
    """Return a description of a story's picture."""
    top = max(line.sizes)
    if not top:
        return "no articles in this time"
    at = found.steps[line.sizes.index(top)]
    when = f"{at.day} {at:%B}" + (f", {at:%H:%M}" if found.zoom == "hour" else "")
    return (
        f"{many(sum(line.articles), 'article')} in this time; "
        f"largest on {when} with {many(top, 'article')} in the window"
    )


def _summary(found: TimelineOut) -> str:
    """Return a description of the whole picture, in a sentence."""
    lines = [line for line in found.stories if sum(line.articles)]
    if not lines:
        return "No story had an article in this time."
    busiest = max(lines, key=lambda line: sum(line.articles))
    return (
        f"Of these {many(len(found.stories), 'story', 'stories')}, most was written "
        f"about “{busiest.story.headline}”: {many(sum(busiest.articles), 'article')}."
    )


def _numbers(found: TimelineOut, asked: dict[str, object]) -> list[dict[str, Any]]:
    """Return the numbers of the picture: a row for each step with articles."""
    rows = []
    for place, at in enumerate(found.steps):
        cells = [(line.articles[place], line.sizes[place]) for line in found.stories]
        if not any(new for new, _ in cells):
            continue
        rows.append({"at": at, "cells": cells, "link": _by_hour(at, found, asked)})
    return rows


def _by_hour(at: datetime, found: TimelineOut, asked: dict[str, object]) -> str | None:
    if found.zoom == "hour":
        return None
    end = utc_text(at + timedelta(days=1))
    return with_query("/timeline", {**asked, "zoom": "hour", "days": 1, "until": end})


def _choices(wanted: StretchIn, asked: dict[str, object]) -> list[dict[str, Any]]:
    """Return the switches above the picture: groups of links, one chosen in each."""

    def group(name: str, options: Sequence[tuple[str, Mapping[str, object]]]) -> Any:  # noqa: ANN401 - for the template
        return {
            "name": name,
            "options": [
                {
                    "words": words,
                    "link": with_query("/timeline", {**asked, **change}),
                    "chosen": all(getattr(wanted, k) == v for k, v in change.items()),
                }
                for words, change in options
            ],
        }

    zoom = [
        ("By day", {**asked, "zoom": "day", "days": 14}),
        ("By hour", {**asked, "zoom": "hour", "days": 1}),
    ]
    steps = {
        "name": "Steps",
        "options": [
            {
                "words": words,
                "link": with_query("/timeline", change),
                "chosen": wanted.zoom == change["zoom"],
            }
            for words, change in zoom
        ],
    }
    spans = [(many(days, "day"), {"days": days}) for days in SPANS[wanted.zoom]]
    sorts = [("Largest", {"sort": "size"}), ("Hottest now", {"sort": "heat"})]
    return [steps, group("Length", spans), group("Stories", sorts)]


def _pager(
    found: TimelineOut,
    wanted: StretchIn,
    asked: dict[str, object],
    end: datetime | None,
) -> dict[str, str | None]:
    """Return the addresses of the stretches before and after this one."""
    days = wanted.days
    if wanted.zoom == "hour":
        days = min(days, MAX_DAYS_BY_HOUR)
    later = found.until + timedelta(days=days)
    is_last = wanted.until is None or end is None or found.until >= end
    following = utc_text(later) if end is not None and later < end else None
    return {
        "earlier": with_query("/timeline", {**asked, "until": utc_text(found.since)}),
        "later": None
        if is_last
        else with_query("/timeline", {**asked, "until": following}),
    }
