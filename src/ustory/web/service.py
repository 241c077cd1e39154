"""The service: loop, intake and threads, under one start and stop."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import ip_address
from threading import BoundedSemaphore, Event, Thread
from typing import TypeAlias
from urllib.parse import urlsplit

from ustory.core.errors import error_text
from ustory.core.memory import held_bytes
from ustory.service.backpressure import Strained
from ustory.service.current_problems import Problems
from ustory.service.intake import Intake
from ustory.service.loop import LOOP, Loop
from ustory.service.map import MapMaker
from ustory.service.provisional import Answers
from ustory.sources.http.client import Limits as WebLimits
from ustory.sources.http.client import Web
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
from ustory.web.models.health import Readiness
from ustory.web.security import Hosts
from ustory.web.sse import StoredLedger
from ustory.web.webhooks import Courier

Worker: TypeAlias = Callable[[Event], None]
"""Something that runs in a thread of its own until the event is set."""

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before the work is begun again; each pause is twice the one before."""

logger = logging.getLogger(__name__)


class Supervised:
    """The work of a thread, begun again whenever it ends in an error.

    Work that returns has come to its end, as a file does.
    """

    def __init__(
        self, name: str, work: Worker, problems: Problems, pause: float = FIRST_PAUSE
    ) -> None:
        self._name = name
        self._work = work
        self._problems = problems
        self._pause = pause

    def __call__(self, stop: Event) -> None:
        """Work until it is done, or until `stop` is set."""
        pause = self._pause
        while not stop.is_set():
            try:
                self._work(stop)
            except BaseException as error:
                logger.exception("%s ended in an error", self._name)
                said = f"it ended in an error and is begun again: {error_text(error)}"
                self._problems.begin(self._name, "ended", said)
                with suppress(Exception):  # nobody else may be left to write it down
                    self._problems.flush()
                stop.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                if self._name != LOOP:  # the loop says so itself, after a slide
                    self._problems.end(self._name)
            else:
                return


logger = logging.getLogger(__name__)

_WEBHOOK = WebLimits(connect=5.0, read=10.0, total=20.0, size=64_000, redirects=0)
_KEYS_AGAIN = 2.0
"""Seconds after which the keys of the database are read again."""
_NOTED = 30
"""How many times they are read until it is written which were used."""
_PATIENCE = 30.0
"""Seconds that a worker has to end in."""


def wall_time() -> datetime:
    """Return what the machine's clock says."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Who may use a service, and how much."""

    keys: Keys = field(default_factory=lambda: Keys(()))
    private: bool = False
    """Whether reading needs a key, too."""
    limits: Limits = field(default_factory=Limits)
    hosts: Hosts | None = None
    """The names it may be called by; None is any. The command always gives some."""
    public_url: str = ""
    """Where readers find it; links in feeds begin with it."""
    proxies: tuple[Network, ...] = ()
    """Proxies that are believed when they say whom they speak for."""
    allow: tuple[Network, ...] = ()
    """Networks that feeds and webhooks may be in although they are not public."""
    wall: Callable[[], datetime] = wall_time
    """The time by which messages are dated; the stream may have another."""
    seconds: Callable[[], float] = time.monotonic
    """What rates are counted by."""


class Service:
    """One database and its one loop, with what serves them. Mutable.

    `workers` are what else runs while it does: readers of feeds and files.
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
        self._guard = Guard(allow=self.rules.allow)
        self._workers = {
            "loop": loop.run,
            **(workers or {}),
            "webhooks": self._carry,
            "map": self.map.run,
            "keys": self._watch_keys,
        }
        self._threads: dict[str, Thread] = {}
        self._stop = Event()
        self._prepared = False

    def prepare(self) -> None:
        """Take up the loop where it was left; done once, however often it is called.

        What the database or the settings refuse is raised here, in words.
        """
        if not self._prepared:
            self.loop.start()
            refresh(self.store, self.keys, note=False)
            self._prepared = True

    async def start(self) -> None:
        """Begin all that runs."""
        await asyncio.to_thread(self.prepare)
        await self.broadcaster.start()
        events = asyncio.get_running_loop()

        def tell(slide: SlideRow) -> None:
            del slide
            if not events.is_closed():
                events.call_soon_threadsafe(self.broadcaster.nudge)

        self.loop.on_done = tell
        for name, work in self._workers.items():
            work = Supervised(name, work, self.loop.problems)
            thread = Thread(target=work, args=(self._stop,), name=f"ustory {name}")
            thread.start()
            self._threads[name] = thread

    async def stop(self) -> None:
        """End what runs; a slide that is being told is told to its end."""
        self._stop.set()
        await self.broadcaster.stop()
        for name, thread in self._threads.items():
            await asyncio.to_thread(thread.join, _PATIENCE)
            if thread.is_alive():
                logger.warning("%s did not end in time; it is left behind", name)
        self.loop.on_done = None

    def close_streams(self) -> None:
        """End the event streams: the server is about to stop."""
        self.broadcaster.close()

    @property
    def is_working(self) -> bool:
        """Tell whether the loop runs."""
        thread = self._threads.get("loop")
        return thread is not None and thread.is_alive()

    def readiness(self) -> Readiness:
        """Return whether the service does its work."""
        left_out = self.intake.left_out
        return readiness(self.store, self.loop, left_out, working=self.is_working)

    def measure(self) -> None:
        """Bring the gauges up to date."""
        listeners, working = self.broadcaster.listeners, self.is_working
        measure(self.metrics, self.store, self.loop, listeners, working=working)
        with self.store.read() as connection:
            stands = work_status(
                connection, self.loop, self.intake.left_out, working=self.is_working
            )
        show_work_status(self.metrics, stands)

    def base_url(self, asked: str) -> str:
        """Return what links begin with: the public address, or the one asked by."""
        return (
            f"{self.rules.public_url.rstrip('/')}/" if self.rules.public_url else asked
        )

    def check_memory(self) -> None:
        """Refuse to take in more than the memory bears."""
        held, most = held_bytes(), self.rules.limits.most_memory
        if held > most:
            raise Strained(held, most)

    def check_address(self, url: str) -> None:
        """Refuse an address that this service would never reach."""
        if not self.may_reach(url):
            raise ApiError(
                422,
                "the address must be of the public web; allow its network with "
                "--allow-private if it is meant to be reached",
            )

    def may_reach(self, url: str) -> bool:
        """Tell whether an address may be reached, as far as it tells without asking.

        A name is resolved when it is connected to, and checked then.
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
        """Heed keys that are added or revoked, and note which are used."""
        turn = 0
        while not stop.wait(_KEYS_AGAIN):
            turn += 1
            with suppress(Unavailable):  # those known before hold until it is back
                refresh(self.store, self.keys, note=turn % _NOTED == 0)
        with suppress(Unavailable):
            refresh(self.store, self.keys, note=True)

    def _carry(self, stop: Event) -> None:
        web = Web(allow=self.rules.allow, limits=_WEBHOOK)

        def count(outcome: str) -> None:
            self.metrics.deliveries.labels(outcome).inc()

        Courier(self.store, web, self.rules.wall, count).run(stop)
