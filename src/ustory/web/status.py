"""What waits, what is behind, what was dropped and what fails, told apart."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from ustory.service.dropped import LeftOut
from ustory.service.loop import LOOP, Loop
from ustory.store.slides import waiting_articles
from ustory.store.tables import deliveries, feeds, set_aside, slides
from ustory.web.metrics import Metrics
from ustory.web.models.health import State, WorkStatus

AWAY = WorkStatus(
    state="failing", waiting=0, behind=0, dropped={}, failing={"database": 1}
)
"""Where things stand when the database cannot be asked."""
_DROPPED = {
    "refused": "Articles refused by a rule since the start.",
    "turned_away": "Articles turned away for want of room since the start.",
    "set_aside": "Articles that are set aside.",
    "webhooks": "Webhook messages that were given up.",
}
_FAILING = {
    "feeds": "Feeds whose last answer was none.",
    "webhooks": "Webhook messages that nobody took yet.",
    "others": "Other parts that fail now.",
}
_FEED = ("http://", "https://")


def work_status(
    connection: Connection, loop: Loop, left_out: LeftOut, *, working: bool
) -> WorkStatus:
    """Return where the work stands; `working` says whether the loop's thread runs."""
    waiting, behind = waiting_articles(connection), slides_waiting(connection)
    dropped = {
        **left_out.counts(),
        "set_aside": _set_aside(connection),
        "webhooks": _messages(connection, "failed", tried=True),
    }
    failing = _failing(connection, loop, working=working)
    return WorkStatus(
        state=_state(waiting, behind, failing, left_out),
        waiting=waiting,
        behind=behind,
        dropped=dropped,
        failing=failing,
    )


def show_work_status(metrics: Metrics, stands: WorkStatus) -> None:
    """Bring the gauges of what was dropped and what fails up to date."""
    for why, words in _DROPPED.items():
        metrics.show(f"ustory_dropped_{why}", words, stands.dropped.get(why, 0))
    for what, words in _FAILING.items():
        metrics.show(f"ustory_failing_{what}", words, stands.failing.get(what, 0))


def slides_waiting(connection: Connection) -> int:
    """Return how many slides are closed and not done."""
    query = select(func.count()).where(slides.c.status == "closed")
    return int(connection.execute(query).scalar_one())


def _state(
    waiting: int, behind: int, failing: dict[str, int], left_out: LeftOut
) -> State:
    """Return the worst of what is the case, in one word."""
    if "loop" in failing:
        return "failing"
    if left_out.is_turning_away:
        return "dropping"
    if behind:
        return "behind"
    return "waiting" if waiting else "ok"


def _failing(connection: Connection, loop: Loop, *, working: bool) -> dict[str, int]:
    """Return how many of each kind fail now; kinds without a failure are left out."""
    problems = loop.problems.now()
    stopped = not working or LOOP in problems
    query = select(func.count()).where(feeds.c.active, feeds.c.failures > 0)
    others = [o for o in problems if o != LOOP and not o.startswith(_FEED)]
    counts = {
        "loop": int(stopped),
        "feeds": int(connection.execute(query).scalar_one()),
        "webhooks": _messages(connection, "due", tried=True),
        "others": len(others),
    }
    return {name: count for name, count in counts.items() if count}


def _messages(connection: Connection, status: str, *, tried: bool) -> int:
    here = deliveries.c.status == status
    if tried:
        here &= deliveries.c.attempts > 0
    return int(connection.execute(select(func.count()).where(here)).scalar_one())


def _set_aside(connection: Connection) -> int:
    query = select(func.count()).select_from(set_aside)
    return int(connection.execute(query).scalar_one())
