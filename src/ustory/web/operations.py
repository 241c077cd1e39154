"""How the service works: the data of the operations page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ustory.core.memory import held_bytes, peak_bytes
from ustory.sources.http.masking import masked_words
from ustory.store import Connection
from ustory.store.articles import all_aside
from ustory.store.problems import recent_problems
from ustory.store.results import last_event
from ustory.store.slides import recent_slides, slides_behind, waiting_articles
from ustory.web.health import work_status
from ustory.web.models.operations import (
    AsideOut,
    OperationsOut,
    ProblemOut,
    SlideOut,
)
from ustory.web.service import Service

SLIDES, PROBLEMS = 60, 50
"""How many of each are returned."""


def operations(
    connection: Connection, service: Service, *, whole: bool = False
) -> OperationsOut:
    """Return the state of the service, and its recent problems.

    Secrets in addresses are masked unless it is `whole`.
    """
    said: Callable[[str], str] = str if whole else masked_words
    status = service.loop.status()
    problems = service.loop.problems.now()
    if not service.is_working:
        problems.setdefault("loop", "it does not run: slides are not being done")
    behind = slides_behind(connection)
    # slides are done in order: the open one and the waiting ones are newer
    recent = recent_slides(connection, SLIDES + min(behind, SLIDES) + 1)
    slides = [row for row in recent if row.status == "done"][:SLIDES]
    end, held = status.end, held_bytes()
    lag = 0.0 if end is None else (service.clock() - end).total_seconds()
    return OperationsOut(
        status="ok" if service.is_working and status.problem is None else "not ready",
        standing=work_status(
            connection,
            service.loop,
            service.intake.left_out,
            working=service.is_working,
        ),
        slides_done=status.slide,
        slide_end=end,
        lag_seconds=round(max(lag, 0.0), 3),
        behind=behind,
        queue=waiting_articles(connection),
        queue_most=service.intake.limits.waiting,
        stories=status.stories,
        inside=status.inside,
        waiting=status.waiting,
        events=last_event(connection),
        listeners=service.broadcaster.listeners,
        memory_bytes=held,
        memory_peak_bytes=max(peak_bytes(), held),
        encoder=service.loop.settings.encoder,
        slides=[SlideOut.of(row) for row in slides],
        now={said(name): said(words) for name, words in problems.items()},
        set_aside=[AsideOut.of(row) for row in all_aside(connection, PROBLEMS)],
        problems=[
            ProblemOut.of(replace(r, origin=said(r.origin), message=said(r.message)))
            for r in recent_problems(connection, PROBLEMS)
        ],
    )
