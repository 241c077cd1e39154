"""A service put together from the options of `ustory serve`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Event
from typing import Any

from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival, Encoder, Executor, Source
from ustory.core.settings import Settings
from ustory.service.clock import Clock, StreamClock, WallClock, wall_time
from ustory.service.feeding import FeedPump, stored_in
from ustory.service.intake import Intake, IntakeLimits
from ustory.service.loop import Loop
from ustory.service.pump import Pump
from ustory.service.settings import Retention, live_settings, settings_of
from ustory.sources.demo import demo_stream
from ustory.sources.feeds.feed_list import FeedList
from ustory.sources.feeds.fulltext import FullText
from ustory.sources.feeds.polling import FeedPoller, PollSettings
from ustory.sources.feeds.reader_pool import READERS
from ustory.sources.http.client import Web
from ustory.sources.http.politeness import Spacing
from ustory.sources.open import open_source
from ustory.store import Store
from ustory.store.feeds import add_feeds
from ustory.store.tables import FeedRow
from ustory.web.service import Rules, Service

AT_ONCE = timedelta(days=7)
"""The part of the stream that is loaded immediately."""
SLIDE = timedelta(hours=4)
"""The slide of the demo, which has only a few articles a day."""
PACE = 10.0
"""Seconds per day of the stream after that."""


class DemoSource:
    """The demo stream in accelerated time; `wait` sleeps for some seconds."""

    live = False

    def __init__(
        self,
        pace: float,
        wait: Callable[[float], object],
        source: Source | None = None,
    ) -> None:
        self._pace = pace
        self._wait = wait
        self._source = source or open_source(str(demo_stream()))

    @property
    def name(self) -> str:
        """The name of its cursor."""
        return "demo"

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles after the cursor, each at its time."""
        last: datetime | None = None
        at_once: datetime | None = None
        for arrival in self._source.read(after):
            moment = arrival.article.published_at
            at_once = at_once or moment + AT_ONCE
            if last is not None and moment > max(last, at_once):
                gap = moment - max(last, at_once)
                self._wait(gap / timedelta(days=1) * self._pace)
            last = moment if last is None else max(last, moment)
            yield arrival


_FILE_INTERVAL = timedelta(seconds=2)
"""How often a growing file is checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The options of `ustory serve`."""

    sources: Sequence[str] = ()
    """Lists of feeds, addresses of feeds, files, folders, `-` or `kafka://…`."""
    demo: bool = False
    pace: float = PACE
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Settings that are not the default."""
    rules: Rules = field(default_factory=Rules)
    retention: Retention | None = None
    contact: str = ""
    every: timedelta = timedelta(minutes=15)
    """How often a feed is polled."""
    full_text: bool = True
    by_articles: bool = False
    """Time is the newest date of an article, not the machine's."""
    waiting: int = IntakeLimits().waiting
    executor: Executor | None = None
    """Where slides are computed; None is in this process."""


def settings_for(store: Store, plan: Plan) -> Settings:
    """Return the settings: those of the database, or the defaults, with changes."""
    base = settings_of(store)
    if base is None:
        base = live_settings(**({"slide": SLIDE} if plan.demo else {}))
    settings = base.with_(plan.changes, where="the command line")
    if not isinstance(settings.window, timedelta):
        raise ConfigError(
            "a live service goes by time: window and slide must be durations, such as "
            f"7d and 15m; got {settings.window} and {settings.slide} articles"
        )
    if plan.retention is not None:
        plan.retention.check(settings)
    return settings


def assemble(store: Store, plan: Plan, load: Callable[[str], Encoder]) -> Service:
    """Return the service of a plan over a store."""
    settings = settings_for(store, plan)
    by_articles = plan.demo or plan.by_articles
    clock: Clock = StreamClock() if by_articles else WallClock()
    loop = Loop(
        store, settings, load(settings.encoder), clock, retention=plan.retention
    )
    if plan.executor is not None:
        loop.runner.use(plan.executor)
    given = plan.rules.limits
    limits = IntakeLimits(
        waiting=plan.waiting, revisions=given.revisions, texts=given.texts
    )
    intake = Intake(store, loop.calendar, clock, limits)
    reader = Reader(plan, loop, intake)
    found = [reader.source(name) for name in plan.sources]
    reader.subscribe([each for each in found if isinstance(each, FeedList)])
    sources = [each for each in found if not isinstance(each, FeedList)]
    workers = {"sources": lambda stop: reader.read(sources, stop), "feeds": reader.poll}
    return Service(loop, intake, plan.rules, workers)


class Reader:
    """Reads articles from sources and feeds."""

    def __init__(self, plan: Plan, loop: Loop, intake: Intake) -> None:
        self._plan = plan
        self._loop = loop
        self._intake = intake
        self._store = loop.store

    def subscribe(self, lists: Sequence[FeedList]) -> None:
        """Add new feeds to the store."""
        now = wall_time()
        rows = [
            FeedRow(url=each.url, title=each.title, added_at=now)
            for feeds in lists
            for each in feeds.subscriptions
        ]
        if rows:
            with self._store.write() as connection:
                add_feeds(connection, rows)

    def source(self, name: str) -> Source:
        """Return the source of a name; bad records are logged as problems."""
        problems = self._loop.problems

        def report(error: InputError) -> None:
            problems.log(name, error.kind, str(error))

        return open_source(name, report, live=True)

    def read(self, sources: Sequence[Source], stop: Event) -> None:
        """Read files, folders, streams and the demo until `stop` is set."""
        pump = Pump(self._intake, self._store, self._loop.problems)
        for source in sources:
            pump.add(source, _FILE_INTERVAL if getattr(source, "live", False) else None)
        if self._plan.demo:
            demo = pump.add(DemoSource(self._plan.pace, stop.wait))
            while not (demo.done.is_set() or stop.is_set()):
                demo.done.wait(0.2)
            if not stop.is_set():
                self._intake.close_open()
        stop.wait()
        pump.stop()

    def poll(self, stop: Event) -> None:
        """Poll the feeds of the store until `stop` is set."""
        plan = self._plan
        web = Web(allow=plan.rules.allow, contact=plan.contact)
        spacing = Spacing(sleep=stop.wait)
        full_text = FullText(web, spacing, wall_time) if plan.full_text else None
        feeds = FeedPoller(
            web,
            clock=wall_time,
            settings=PollSettings(every=plan.every, patience=1.0),
            spacing=spacing,
            full_text=full_text,
            known=stored_in(self._store),
        )
        pump = FeedPump(feeds, self._intake, self._store, self._loop.problems)
        pump.start()
        stop.wait()
        pump.stop()
        READERS.close()
