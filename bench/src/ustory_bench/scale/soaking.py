"""A live service through a month: what it holds, in memory and on disk."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from sqlalchemy import func, select

from ustory.core.protocols import Encoder, TextPipeline
from ustory.service.intake import Intake
from ustory.service.loop import Loop
from ustory.service.settings import EVERY, Retention, live_settings
from ustory.store import Store
from ustory.store.tables import articles, stories
from ustory.testing.parts import HandClock
from ustory_bench.load.figures import resident_mib
from ustory_bench.scale.month import START, Month, Tick, ticks

ORIGIN = "soak"
_BATCH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What the service holds at a moment."""

    day: float
    rss_mib: float
    objects: int
    """Of Python that are alive."""
    database_mib: float
    """All files of the database together."""
    files: int
    """In the folder of the database."""
    descriptors: int
    """Files and sockets that the process has open."""
    inside: int
    """Articles in the window."""
    archived: int
    """Articles in the archive."""
    stories: int
    """Stories in the archive, ended ones included."""
    slides: int
    restarts: int


@dataclass(slots=True)
class _Service:
    """The parts of a service, as a process has them. Mutable."""

    folder: Path
    month: Month
    encoder: Encoder
    pipeline: TextPipeline
    clock: HandClock = field(default_factory=partial(HandClock, START))
    restarts: int = 0
    retained: datetime = START
    store: Store = field(init=False)
    loop: Loop = field(init=False)
    intake: Intake = field(init=False)

    def __post_init__(self) -> None:
        self._open()

    def _open(self) -> None:
        month = self.month
        self.store = Store.open(str(self.folder / "soak.db"))
        self.loop = Loop(
            self.store,
            live_settings(slide=month.slide),
            self.encoder,
            self.clock,
            pipeline=self.pipeline,
            retention=Retention(texts=month.keep_texts, articles=month.keep),
        )
        self.loop.start()
        self.intake = Intake(self.store, self.loop.calendar, self.clock)

    def restart(self) -> None:
        """End as a process that is killed does, as far as the database knows."""
        self.store.close()
        self.restarts += 1
        self._open()

    def take(self, tick: Tick, *, restarting: bool) -> None:
        """Take in what came, tell what is due, and let go of what is old."""
        self.clock.time = tick.now
        for first in range(0, len(tick.articles), _BATCH):
            self.intake.accept(tick.articles[first : first + _BATCH], ORIGIN)
        if tick.restart and restarting:
            self.restart()
        self.loop.catch_up()
        if tick.now - self.retained >= EVERY:
            self.loop.retention.apply(self.store, tick.now)
            self.retained = tick.now

    def sample(self) -> Sample:
        """Return what is held now, once garbage is collected."""
        gc.collect()
        status = self.loop.status()
        with self.store.read() as connection:
            archived, told = (
                int(
                    connection.execute(select(func.count()).select_from(t)).scalar_one()
                )
                for t in (articles, stories)
            )
        files = [path for path in self.folder.iterdir() if path.is_file()]
        return Sample(
            day=round((self.clock.time - START) / timedelta(days=1), 3),
            rss_mib=round(resident_mib(), 1),
            objects=len(gc.get_objects()),
            database_mib=round(sum(p.stat().st_size for p in files) / 2**20, 2),
            files=len(files),
            descriptors=len(list(Path("/proc/self/fd").iterdir())),
            inside=status.inside,
            archived=archived,
            stories=told,
            slides=status.slide,
            restarts=self.restarts,
        )


def soak(
    folder: Path,
    month: Month,
    encoder: Encoder,
    pipeline: TextPipeline,
    every: timedelta = timedelta(hours=6),
    *,
    restarting: bool = True,
) -> Iterator[Sample]:
    """Let a service live through a month, and yield what it holds every so often."""
    folder.mkdir(parents=True, exist_ok=True)
    service = _Service(folder, month, encoder, pipeline)
    following = START + every
    try:
        for tick in ticks(month):
            if tick.up:
                service.take(tick, restarting=restarting)
            if tick.now >= following:
                following += every
                yield service.sample()
    finally:
        service.store.close()
