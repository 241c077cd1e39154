"""A service put together from the options of `ustory serve`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Event
from typing import Any

from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Encoder, Executor, Source
from ustory.core.settings import Settings
from ustory.service.clock import Clock, StreamClock, WallClock, wall_time
from ustory.service.demo import PACE, SLIDE, DemoProgress, DemoSource, languages_demo
from ustory.service.feeding import FeedPump, stored_in
from ustory.service.intake import Intake, IntakeLimits
from ustory.service.loop import Loop
from ustory.service.pump import Pump
from ustory.service.settings import (
    Retention,
    live_settings,
    replay_settings,
    settings_of,
)
from ustory.service.stream_end import StreamEnd
from ustory.service.time_basis import (
    TimeBasis,
    goes_by_articles,
    keep_time_basis,
    time_basis_of,
)
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

_FILE_INTERVAL = timedelta(seconds=2)
"""How often a growing file is checked."""
_END_INTERVAL = 0.5
"""Seconds between two checks whether a replay has come to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The options of `ustory serve`."""

    sources: Sequence[str] = ()
    """Lists of feeds, addresses of feeds, files, folders, `-` or `kafka://…`."""
    demo: bool = False
    languages: bool = False
    """Whether the demo is the one in six languages."""
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
        base = _first_settings(plan)
    settings = base.with_(plan.changes, where="the command line")
    if not isinstance(settings.window, timedelta):
        raise ConfigError(
            "a live service goes by time: window and slide must be durations, such as "
            f"7d and 15m; got {settings.window} and {settings.slide} articles"
        )
    if plan.retention is not None:
        plan.retention.check(settings)
    return settings


def _first_settings(plan: Plan) -> Settings:
    if plan.demo:
        return live_settings(slide=SLIDE)
    return replay_settings(plan.changes) if plan.by_articles else live_settings()


def time_basis(store: Store, plan: Plan) -> TimeBasis:
    """Return whether a plan goes by the clock or by the dates of its articles."""
    if plan.demo or plan.by_articles:
        return TimeBasis(by_articles=True)
    window = settings_for(store, plan).window
    assert isinstance(window, timedelta)
    return time_basis_of(store, plan.sources, window, wall_time())


def assemble(store: Store, plan: Plan, load: Callable[[str], Encoder]) -> Service:
    """Return the service of a plan over a store."""
    settings = settings_for(store, plan)
    by_articles = plan.demo or plan.by_articles or goes_by_articles(store)
    keep_time_basis(store, by_articles=by_articles)
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
    service = Service(loop, intake, plan.rules, workers)
    service.demo = reader.demo_progress
    return service


class Reader:
    """Reads articles from sources and feeds."""

    def __init__(self, plan: Plan, loop: Loop, intake: Intake) -> None:
        self._plan = plan
        self._loop = loop
        self._intake = intake
        self._store = loop.store
        self._stop = Event()
        play = languages_demo if plan.languages else DemoSource
        self._demo = play(plan.pace, self._pause) if plan.demo else None

    @property
    def demo_progress(self) -> Callable[[], DemoProgress] | None:
        """Says how far the demo is; None if there is none."""
        demo = self._demo
        return None if demo is None else lambda: demo.progress

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
        self._stop = stop
        pump = Pump(self._intake, self._store, self._loop.problems)
        for source in sources:
            pump.add(source, _FILE_INTERVAL if getattr(source, "live", False) else None)
        if self._demo is not None:
            pump.add(self._demo)
        if isinstance(self._loop.clock, StreamClock):
            end = StreamEnd(self._intake, lambda: pump.rests)
            while not stop.wait(_END_INTERVAL):
                end.look()
        stop.wait()
        pump.stop()

    def _pause(self, seconds: float) -> None:
        self._stop.wait(seconds)

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
