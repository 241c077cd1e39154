"""The state of a service, for supervisors and for Prometheus."""

from __future__ import annotations

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ustory.core.memory import peak_bytes
from ustory.service.backpressure import LeftOut
from ustory.service.loop import LOOP, Loop
from ustory.store import Connection, Store, Unavailable
from ustory.store.articles import count_aside
from ustory.store.feeds import count_failing
from ustory.store.late import count_late
from ustory.store.results import last_event
from ustory.store.slides import (
    last_done,
    open_slide,
    slides_behind,
    waiting_articles,
)
from ustory.store.watchlists import count_deliveries
from ustory.web.models.operations import Readiness, State, WorkStatus

METRICS_TYPE = CONTENT_TYPE_LATEST
METRICS_EXAMPLE = "# TYPE ustory_stories gauge\nustory_stories 15.0\n"
METHODS = frozenset(("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"))
"""Methods that are counted by name; callers may invent others."""


class Metrics:
    """Counters and gauges of one server. Mutable."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        self.requests = Counter(
            "ustory_requests",
            "Requests answered.",
            ["method", "path", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "ustory_request_seconds",
            "Time to the first byte of an answer.",
            ["path"],
            registry=self.registry,
        )
        self.received = Counter(
            "ustory_articles_received",
            "Articles posted, by what became of them.",
            ["outcome"],
            registry=self.registry,
        )
        self.deliveries = Counter(
            "ustory_webhook_deliveries",
            "Webhook calls, by how they ended.",
            ["outcome"],
            registry=self.registry,
        )
        self._gauges: dict[str, Gauge] = {}

    def show(self, name: str, words: str, value: float) -> None:
        """Set a gauge, which is created at first use."""
        if name not in self._gauges:
            self._gauges[name] = Gauge(name, words, registry=self.registry)
        self._gauges[name].set(value)

    def text(self) -> bytes:
        """Return the metrics in the format of Prometheus."""
        written: bytes = generate_latest(self.registry)
        return written


class CountRequests:
    """Counts requests by the path of their route, never by their own path."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        metrics, began = self._metrics, time.perf_counter()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = scope.get("route")
                path = getattr(route, "path", "(none)")
                method = scope["method"] if route is not None else "(any)"
                if route is not None and method not in METHODS:
                    method = "(other)"
                metrics.requests.labels(method, path, message["status"]).inc()
                metrics.seconds.labels(path).observe(time.perf_counter() - began)
            await send(message)

        await self.app(scope, receive, counted)


AWAY = WorkStatus(
    state="failing",
    waiting=0,
    open_until=None,
    behind=0,
    dropped={},
    failing={"database": 1},
)
"""The status if the database is unavailable."""
_DROPPED = {
    "late": "Articles that were older than the window when they came in.",
    "refused": "Articles refused by a rule since the start.",
    "turned_away": "Articles turned away for lack of room since the start.",
    "set_aside": "Articles that are set aside.",
    "webhooks": "Webhook messages that were given up.",
}
_FAILING = {
    "feeds": "Feeds whose last request failed.",
    "webhooks": "Webhook messages that were not accepted yet.",
    "others": "Other parts that fail now.",
}
_FEED = ("http://", "https://")


def work_status(
    connection: Connection, loop: Loop, left_out: LeftOut, *, working: bool
) -> WorkStatus:
    """Return the status; `working` says whether the loop's thread runs."""
    waiting, behind = waiting_articles(connection), slides_behind(connection)
    opened = open_slide(connection)
    dropped = {
        "late": count_late(connection),
        **left_out.counts(),
        "set_aside": count_aside(connection),
        "webhooks": count_deliveries(connection, "failed", tried=True),
    }
    failing = _failing(connection, loop, working=working)
    return WorkStatus(
        state=_state(waiting, behind, failing, left_out),
        waiting=waiting,
        open_until=None if opened is None else opened.end,
        behind=behind,
        dropped=dropped,
        failing=failing,
    )


def show_work_status(metrics: Metrics, status_now: WorkStatus) -> None:
    """Update the gauges of dropped articles and of failures."""
    for why, words in _DROPPED.items():
        metrics.show(f"ustory_dropped_{why}", words, status_now.dropped.get(why, 0))
    for what, words in _FAILING.items():
        metrics.show(f"ustory_failing_{what}", words, status_now.failing.get(what, 0))


def _state(
    waiting: int, behind: int, failing: dict[str, int], left_out: LeftOut
) -> State:
    """Return the worst state that applies."""
    if "loop" in failing:
        return "failing"
    if left_out.is_turning_away:
        return "dropping"
    if behind:
        return "behind"
    return "waiting" if waiting else "ok"


def _failing(connection: Connection, loop: Loop, *, working: bool) -> dict[str, int]:
    """Return the number of current failures by kind; without zeros."""
    problems = loop.problems.now()
    stopped = not working or LOOP in problems
    others = [o for o in problems if o != LOOP and not o.startswith(_FEED)]
    counts = {
        "loop": int(stopped),
        "feeds": count_failing(connection),
        "webhooks": count_deliveries(connection, "due", tried=True),
        "others": len(others),
    }
    return {name: count for name, count in counts.items() if count}


def readiness(
    store: Store, loop: Loop, left_out: LeftOut, *, working: bool
) -> Readiness:
    """Return whether the database can be read and slides are being done."""
    problem = loop.status().problem
    try:
        with store.read() as connection:
            done = last_done(connection)
            status_now = work_status(connection, loop, left_out, working=working)
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
        problem = problem or "the loop does not run"
    return Readiness(
        status="not ready" if problem else "ok",
        database=True,
        loop=working and problem is None,
        slide=None if done is None else done.number,
        slide_end=None if done is None else done.end,
        behind=status_now.behind,
        pending=status_now.waiting,
        problem="slides are not being done; see the log" if problem else None,
        standing=status_now,
    )


def measure(
    metrics: Metrics, store: Store, loop: Loop, listeners: int, *, working: bool
) -> None:
    """Update the gauges; `working` says whether the loop's thread runs."""
    status = loop.status()
    fine = working and status.problem is None
    show = metrics.show
    show("ustory_stories", "Live stories.", status.stories)
    show("ustory_window_articles", "Articles in the window.", status.inside)
    waiting = "Articles of the window in no story."
    show("ustory_unassigned_articles", waiting, status.waiting)
    show("ustory_listeners", "Open event streams.", listeners)
    show("ustory_loop_ok", "1 while slides are being done.", fine)
    with store.read() as connection:
        done = last_done(connection)
        behind, pending = slides_behind(connection), waiting_articles(connection)
        show("ustory_last_event", "Events in the ledger.", last_event(connection))
    show("ustory_slides_behind", "Slides closed and not done.", behind)
    show("ustory_articles_pending", "Articles whose slide is not done.", pending)
    if done is not None:
        spent = done.seconds.get("total", 0.0)
        show("ustory_slides_done", "Slides done.", done.number)
        show("ustory_slide_seconds", "Time the last slide took.", spent)
        lag = max(0.0, (loop.clock() - done.end).total_seconds())
        show("ustory_lag_seconds", "Time since the end of the last slide done.", lag)
    show(
        "ustory_memory_bytes",
        "The maximum memory of the process.",
        peak_bytes(),
    )
