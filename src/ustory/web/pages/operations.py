"""Operations: whether all is well, how long slides take, what went wrong lately."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from ustory.core.wording import exact, many
from ustory.store.results import last_event
from ustory.web.access import Calling, Served
from ustory.web.models.operations import OperationsOut, SlideOut, WorkStatus
from ustory.web.pages.charts import paths, stacked
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.render import Page, show
from ustory.web.view_data import operations

STEPS = {
    "text": "splitting texts",
    "encoding": "encoding sentences",
    "window": "moving the window",
    "links": "finding links",
    "groups": "grouping articles",
    "summary": "summing up stories",
    "decisions": "writing decisions",
}
"""What the steps of a slide are called in words; others go by their name."""
_DROPPED = {
    "late": "older than the window when they came in",
    "refused": "articles refused by a rule",
    "turned_away": "turned away for want of room",
    "set_aside": "set aside",
    "webhooks": "webhook messages given up",
}
_LEFT_OUT = {
    "late": "{count} article{s} came in that were older than the window: stored, and "
    "in no story.",
    "refused": "{count} article{s} broke a rule and were refused since the start.",
    "turned_away": "{count} article{s} found no room since the start; feeds and files "
    "bring them again, others have to send them again.",
    "set_aside": "{count} article{s} set aside: stored, and in no story.",
    "webhooks": "{count} message{s} to webhooks were given up; their watchlists say "
    "why.",
}
"""What is said of articles and messages that were dropped."""
_FAILING = {
    "loop": "slides",
    "feeds": "feeds",
    "webhooks": "webhook messages that nobody took yet",
    "others": "other parts",
}
OTHER = "everything else"
TOTAL = "total"
_COLOURS = 8

router = page_router()


@router.get("/operations")
def operations_page(request: Request, service: Served, caller: Calling) -> Response:
    """Show how the service works."""
    with service.store.read() as connection:
        found = operations(connection, service, whole=caller.may("admin"))
        event = last_event(connection)
    slides = found.slides[::-1]
    names = _names(slides)
    totals = sorted(map(_total, slides))
    slowest = totals[-1] if totals else 0.0
    most = _height(totals)
    values = {
        "found": found,
        "words": words_of(found),
        "left_out": left_out(found.standing),
        "apart": _apart(found),
        "slides": slides,
        "bars": paths(stacked([_parts(each, names) for each in slides], names, most)),
        "most": most,
        "slowest": slowest,
        "steps": _steps(slides, names),
        "lag": span(found.lag_seconds),
        "memory": size(found.memory_bytes),
        "peak": size(found.memory_peak_bytes),
    }
    page = Page("operations", "Operations", values, twin="/api/operations", event=event)
    return show(request, service, page)


def span(seconds: float) -> str:
    """Return a length of time in words.

    >>> span(0), span(59.5), span(3600), span(200_000)
    ('0 s', '59 s', '1 h 0 min', '2 d 7 h')
    """
    whole = int(seconds)
    minutes, hours, days = whole // 60, whole // 3600, whole // 86400
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{whole} s"


def size(count: int) -> str:
    """Return a number of bytes in words.

    >>> size(371_253_248), size(3_500_000_000)
    ('354 MiB', '3.3 GiB')
    """
    mebi = count / 2**20
    return f"{mebi:.0f} MiB" if mebi < 1024 else f"{mebi / 1024:.1f} GiB"


def words_of(found: OperationsOut) -> str:
    """Return the state of the service, in a sentence or two."""
    stands = found.standing
    if found.status != "ok":
        return "Slides are not being computed now; the reason is below."
    if stands.state == "dropping":
        return "Articles were turned away in the last minutes: too many come in."
    if found.behind:
        return f"It is catching up: {many(found.behind, 'slide')} still to do."
    waits = _waits(stands)
    if not found.slides_done:
        return waits or "It is running and waits for its first article."
    if left_out(stands):
        return f"Slides are computed, but not all is well. {waits}".strip()
    if stands.failing:
        return f"Slides are computed, but something fails. {waits}".strip()
    if waits:
        return f"Slides are computed when they end. {waits}"
    return "All is well: slides are computed when they end."


def _waits(stands: WorkStatus) -> str:
    """Return how many articles wait for their slide, and until when."""
    if not stands.waiting:
        return ""
    verb = "waits" if stands.waiting == 1 else "wait"
    until = f", which ends {exact(stands.open_until)}" if stands.open_until else ""
    return f"{many(stands.waiting, 'article')} {verb} for the end of a slide{until}."


def left_out(stands: WorkStatus) -> list[str]:
    """Return what was dropped, each in a sentence that says what became of it."""
    return [
        words.format(count=f"{stands.dropped[why]:,}", s=_plural(stands.dropped[why]))
        for why, words in _LEFT_OUT.items()
        if stands.dropped.get(why)
    ]


def _plural(count: int) -> str:
    return "" if count == 1 else "s"


def _apart(found: OperationsOut) -> list[tuple[str, str]]:
    """Return what waits, is late, was dropped and fails, in words."""
    stands = found.standing
    dropped = [
        f"{count:,} {_DROPPED.get(why, why)}"
        for why, count in stands.dropped.items()
        if count
    ]
    failing = [f"{_FAILING.get(w, w)}: {n:,}" for w, n in stands.failing.items()]
    return [
        ("Waiting", f"{many(stands.waiting, 'article')} for the end of a slide"),
        ("Behind", f"{many(stands.behind, 'slide')} over and not done"),
        ("Dropped", "; ".join(dropped) or "nothing"),
        ("Failing", "; ".join(failing) or "nothing"),
    ]


def _total(slide: SlideOut) -> float:
    return slide.seconds.get(TOTAL, 0.0)


def _height(totals: Sequence[float]) -> float:
    """Return the seconds of a full bar; `totals` are in order.

    The first slide of a process takes long: its bar must not flatten the others.

    >>> _height([1.0, 1.0, 2.0]), _height([*[1.0] * 19, 50.0])
    (2.0, 2.0)
    """
    if not totals:
        return 0.0
    usual = totals[int(0.9 * (len(totals) - 1))]
    return totals[-1] if totals[-1] <= 4 * usual else 2 * usual


def _names(slides: Sequence[SlideOut]) -> list[str]:
    """Return the names of the steps in their order, unknown ones at the end."""
    seen = {name for slide in slides for name in slide.seconds} - {TOTAL}
    known = [name for name in STEPS if name in seen]
    more = sorted(seen - STEPS.keys())
    named = [*known, *more][: _COLOURS - 1]
    return [*named, OTHER]


def _parts(slide: SlideOut, names: Sequence[str]) -> dict[str, float]:
    parts = {name: slide.seconds.get(name, 0.0) for name in names if name != OTHER}
    return {**parts, OTHER: max(_total(slide) - sum(parts.values()), 0.0)}


def _steps(slides: Sequence[SlideOut], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the time of each step: in the last slide, and on average."""
    if not slides:
        return []
    parts = [_parts(slide, names) for slide in slides]
    whole = sum(map(_total, slides))
    return [
        {
            "name": STEPS.get(name, name),
            "series": number,
            "last": parts[-1][name],
            "mean": sum(part[name] for part in parts) / len(parts),
            "share": sum(part[name] for part in parts) / whole if whole else 0.0,
        }
        for number, name in enumerate(names, 1)
    ]
