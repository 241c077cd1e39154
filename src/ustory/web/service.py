"""The service: loop, intake and threads, under one start and stop."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import ip_address
from threading import BoundedSemaphore, Event, Thread
from typing import TypeAlias
from urllib.parse import urlsplit

from ustory.core.backoff import Backoff
from ustory.core.errors import error_text
from ustory.core.memory import held_bytes
from ustory.service.backpressure import Strained
from ustory.service.clock import wall_time
from ustory.service.current_problems import CurrentProblems
from ustory.service.demo import DemoProgress
from ustory.service.intake import Intake
from ustory.service.loop import LOOP, Loop
from ustory.service.map import MapMaker
from ustory.service.provisional import Answers
from ustory.sources.http.client import Web, WebLimits
from ustory.sources.http.errors import FetchError
from ustory.sources.http.guard import Guard, Network
from ustory.store import Unavailable
from ustory.store.tables import SlideRow
from ustory.web.broadcast import Broadcaster, Pace
from ustory.web.errors import ApiError
from ustory.web.guards import Places
from ustory.web.health import (
    Metrics,
    measure,
    readiness,
    show_work_status,
    work_status,
)
from ustory.web.keys import Keys, refresh
from ustory.web.limits import Limits
from ustory.web.models.operations import Readiness
from ustory.web.security import Hosts
from ustory.web.sse import StoredLedger
from ustory.web.webhooks import WebhookSender

Worker: TypeAlias = Callable[[Event], None]
"""A function that runs in its own thread until the event is set."""

BACKOFF = Backoff(timedelta(seconds=1), timedelta(minutes=1))
"""How long to wait before failed work is started again."""

logger = logging.getLogger(__name__)


class Supervised:
    """The work of a thread, started again whenever it ends with an error.

    Work that returns is finished, such as reading a file.
    """

    def __init__(self, name: str, work: Worker, problems: CurrentProblems) -> None:
        self._name = name
        self._work = work
        self._problems = problems

    def __call__(self, stop: Event) -> None:
        """Work until it is done, or until `stop` is set."""
        failures = 0
        while not stop.is_set():
            try:
                self._work(stop)
            except BaseException as error:
                logger.exception("%s ended with an error", self._name)
                said = f"it ended with an error and is restarted: {error_text(error)}"
                self._problems.begin(self._name, "ended", said)
                with suppress(Exception):  # no other thread may be left to write it
                    self._problems.flush()
                failures += 1
                stop.wait(BACKOFF.seconds(failures))
                if self._name != LOOP:  # the loop ends its problem itself
                    self._problems.end(self._name)
            else:
                return


_WEBHOOK = WebLimits(connect=5.0, read=10.0, total=20.0, size=64_000, redirects=0)
_KEY_INTERVAL = 2.0
"""Seconds after which the keys of the database are read again."""
_KEY_USE_EVERY = 30
"""The use of keys is written once in this many reads."""
_STOP_SECONDS = 30.0
"""Seconds that a worker has for stopping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Who may use a service, and how much."""

    keys: Keys = field(default_factory=lambda: Keys(()))
    private: bool = False
    """Whether reading needs a key too."""
    limits: Limits = field(default_factory=Limits)
    hosts: Hosts | None = None
    """Its host names; None is any. The command always gives some."""
    public_url: str = ""
    """The public address; links in feeds and messages begin with it."""
    proxies: tuple[Network, ...] = ()
    """Proxies whose `X-Forwarded-For` is trusted."""
    allow: tuple[Network, ...] = ()
    """Private networks that feeds and webhooks may be in."""
    wall: Callable[[], datetime] = wall_time
    """The clock that dates messages; the stream may have another."""
    seconds: Callable[[], float] = time.monotonic
    """The clock of rate limits."""


class Service:
    """One database and its loop, with everything that serves them. Mutable.

    `workers` are further threads: readers of feeds and files.
    """

    def __init__(
        self,
        loop: Loop,
        intake: Intake,
        rules: Rules | None = None,
        workers: Mapping[str, Worker] | None = None,
    ) -> None:
        self.loop = loop
        self.intake = intake
        self.rules = rules or Rules()
        self.store = loop.store
        self.clock = loop.clock
        """The time of the stream."""
        self.keys = self.rules.keys
        self.metrics = Metrics()
        self.answers = Answers(loop)
        self.map = MapMaker(loop)
        limits = self.rules.limits
        self.broadcaster = Broadcaster(
            StoredLedger(self.store),
            Pace(heartbeat=limits.heartbeat, stream=limits.stream_seconds),
        )
        self.places = Places(limits)
        self.matching = BoundedSemaphore(limits.matching)
        self.exporting = BoundedSemaphore(limits.exports)
        intake.before = self.check_memory
        loop.watcher.site = self.rules.public_url
        self.demo: Callable[[], DemoProgress] | None = None
        """Says how far the demo is, if it is one."""
        self._guard = Guard(allow=self.rules.allow)
        self._workers = {
            "loop": loop.run,
            **(workers or {}),
            "webhooks": self._send_webhooks,
            "map": self.map.run,
            "keys": self._watch_keys,
        }
        self._threads: dict[str, Thread] = {}
        self._stop = Event()
        self._prepared = False

    def prepare(self) -> None:
        """Start the loop where the database ends; only the first call does anything.

        Errors of the database or the settings are raised here.
        """
        if not self._prepared:
            self.loop.start()
            refresh(self.store, self.keys, note=False)
            self._prepared = True

    async def start(self) -> None:
        """Start all threads."""
        await asyncio.to_thread(self.prepare)
        await self.broadcaster.start()
        events = asyncio.get_running_loop()

        def publish(slide: SlideRow) -> None:
            del slide
            if not events.is_closed():
                events.call_soon_threadsafe(self.broadcaster.nudge)

        self.loop.on_done = publish
        for name, work in self._workers.items():
            work = Supervised(name, work, self.loop.problems)
            thread = Thread(target=work, args=(self._stop,), name=f"ustory {name}")
            thread.start()
            self._threads[name] = thread

    async def stop(self) -> None:
        """Stop all threads; a slide that is being computed is finished."""
        self._stop.set()
        await self.broadcaster.stop()
        for name, thread in self._threads.items():
            await asyncio.to_thread(thread.join, _STOP_SECONDS)
            if thread.is_alive():
                logger.warning("%s did not end in time; it is left behind", name)
        self.loop.on_done = None

    def close_streams(self) -> None:
        """End the event streams: the server is about to stop."""
        self.broadcaster.close()

    @property
    def is_working(self) -> bool:
        """Whether the loop runs."""
        thread = self._threads.get("loop")
        return thread is not None and thread.is_alive()

    def readiness(self) -> Readiness:
        """Return whether the service does its work."""
        left_out = self.intake.left_out
        return readiness(self.store, self.loop, left_out, working=self.is_working)

    def measure(self) -> None:
        """Update the gauges."""
        listeners, working = self.broadcaster.listeners, self.is_working
        measure(self.metrics, self.store, self.loop, listeners, working=working)
        with self.store.read() as connection:
            stands = work_status(
                connection, self.loop, self.intake.left_out, working=self.is_working
            )
        show_work_status(self.metrics, stands)

    def base_url(self, asked: str) -> str:
        """Return what links begin with: the public address, or that of the request."""
        return (
            f"{self.rules.public_url.rstrip('/')}/" if self.rules.public_url else asked
        )

    def serve_at(self, address: str) -> None:
        """Say where the service listens: messages link there without a public URL."""
        self.loop.watcher.site = self.rules.public_url or address

    def check_memory(self) -> None:
        """Refuse articles if too much memory is used."""
        held, most = held_bytes(), self.rules.limits.max_memory
        if held > most:
            raise Strained(held, most)

    def check_address(self, url: str) -> None:
        """Refuse an address that this service may not connect to."""
        if not self.may_reach(url):
            raise ApiError(
                422,
                "the address must be on the public web; allow its network with "
                "--allow-private if the service should connect to it",
            )

    def may_reach(self, url: str) -> bool:
        """Return whether the service may connect to an address.

        Host names are resolved and checked later, when the service connects.
        """
        try:
            self._guard.check_url(url)
            address = ip_address((urlsplit(url).hostname or "").strip("[]"))
        except FetchError:
            return False
        except ValueError:  # a name
            return True
        return self._guard.permits(address)

    def _watch_keys(self, stop: Event) -> None:
        """Read keys that are added or revoked, and write which are used."""
        turn = 0
        while not stop.wait(_KEY_INTERVAL):
            turn += 1
            with suppress(Unavailable):  # the known keys stay valid meanwhile
                refresh(self.store, self.keys, note=turn % _KEY_USE_EVERY == 0)
        with suppress(Unavailable):
            refresh(self.store, self.keys, note=True)

    def _send_webhooks(self, stop: Event) -> None:
        web = Web(allow=self.rules.allow, limits=_WEBHOOK)

        def count(outcome: str) -> None:
            self.metrics.deliveries.labels(outcome).inc()
            if outcome == "failed":
                said = "a message was given up; its watchlist says why"
                self.loop.problems.log("webhooks", "given-up", said)

        WebhookSender(self.store, web, self.rules.wall, count).run(stop)
