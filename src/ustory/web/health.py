"""How a service is, for supervisors and for Prometheus."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from ustory.service.dropped import LeftOut
from ustory.service.loop import Loop
from ustory.store import Store, Unavailable
from ustory.store.events import last_event
from ustory.store.slides import last_done, waiting_articles
from ustory.web.metrics import Metrics
from ustory.web.models.health import Readiness
from ustory.web.status import AWAY, slides_waiting, work_status

_KIBI = 1 if sys.platform == "darwin" else 1024


def readiness(
    store: Store, loop: Loop, left_out: LeftOut, *, working: bool
) -> Readiness:
    """Return whether the database can be read and slides are being done."""
    trouble = loop.status().problem
    try:
        with store.read() as connection:
            done = last_done(connection)
            stands = work_status(connection, loop, left_out, working=working)
    except Unavailable as error:
        return Readiness(
            status="not ready",
            database=False,
            loop=working,
            slide=None,
            slide_end=None,
            behind=0,
            pending=0,
            problem=f"the database cannot be used now ({error.reason})",
            standing=AWAY,
        )
    if not working:
        trouble = trouble or "the loop does not run"
    return Readiness(
        status="not ready" if trouble else "ok",
        database=True,
        loop=working and trouble is None,
        slide=None if done is None else done.number,
        slide_end=None if done is None else done.end,
        behind=stands.behind,
        pending=stands.waiting,
        problem="slides are not being done; see the log" if trouble else None,
        standing=stands,
    )


def measure(
    metrics: Metrics, store: Store, loop: Loop, listeners: int, *, working: bool
) -> None:
    """Bring the gauges up to date; `working` says whether the loop's thread runs."""
    status = loop.status()
    fine = working and status.problem is None
    show = metrics.show
    show("ustory_stories", "Live stories.", status.stories)
    show("ustory_window_articles", "Articles in the window.", status.inside)
    show("ustory_unassigned_articles", "Of these, those in no story.", status.waiting)
    show("ustory_listeners", "Open event streams.", listeners)
    show("ustory_loop_ok", "1 while slides are being done.", fine)
    with store.read() as connection:
        done = last_done(connection)
        behind, pending = slides_waiting(connection), waiting_articles(connection)
        show("ustory_last_event", "Events in the ledger.", last_event(connection))
    show("ustory_slides_behind", "Slides closed and not done.", behind)
    show("ustory_articles_pending", "Articles taken in, in no slide done.", pending)
    if done is not None:
        spent = done.seconds.get("total", 0.0)
        show("ustory_slides_done", "Slides done.", done.number)
        show("ustory_slide_seconds", "Time the last slide took.", spent)
        lag = max(0.0, (loop.clock() - done.end).total_seconds())
        show("ustory_lag_seconds", "Time since the end of the last slide done.", lag)
    show("ustory_memory_bytes", "The most memory the process ever had.", peak())


def memory(statm: Path = Path("/proc/self/statm")) -> int:
    """Return the bytes that the process holds; where nobody tells, the most it held."""
    try:
        pages = int(statm.read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return peak()
    return pages * resource.getpagesize()


def peak() -> int:
    """Return the most bytes that the process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBI
