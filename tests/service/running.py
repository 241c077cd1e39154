"""A small live service for tests: streams, a rig of its parts, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from sqlalchemy import select

from ustory.core.article import Article
from ustory.core.method import METHOD
from ustory.core.settings import Settings
from ustory.service.clock import Clock, StreamClock
from ustory.service.intake import Intake, IntakeLimits, Receipt
from ustory.service.loop import Loop
from ustory.service.settings import live_settings
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source
from ustory.store import Store
from ustory.store.slides import digest
from ustory.store.tables import articles, events, revisions
from ustory.testing import TinyEncoder
from ustory.testing.parts import HandClock
from ustory.text.fast import FastPipeline

START = datetime(2024, 3, 4, tzinfo=UTC)
DAY = timedelta(days=1)
ORIGIN = "stream"
DAILY = live_settings(slide=DAY, gist_encoder="none")


@cache
def pipeline() -> FastPipeline:
    """Return the text pipeline, which takes a while to load."""
    return FastPipeline()


@cache
def demo_articles() -> tuple[Article, ...]:
    """Return the demo stream."""
    source = open_source(str(demo_stream()))
    return tuple(arrival.article for arrival in source.read())


def article(number: int, title: str = "", **fields: object) -> Article:
    """Return an article of its own, an hour after the one before."""
    given: dict[str, object] = {
        "id": f"a{number}",
        "published_at": START + timedelta(hours=number),
        "title": title or f"Storm number {number} reaches the harbour of Kestrel",
        "text": f"The storm closed the harbour. Ferries waited, said report {number}.",
        "url": f"https://news.example/{number}",
        "source": "News",
        "lang": "en",
    }
    return Article(**{**given, **fields})  # type: ignore[arg-type]


@dataclass
class Hand(HandClock):
    """A clock that is set by hand, at the start of the stream."""

    time: datetime = START


@dataclass
class Rig:
    """The parts of a live service on one database, as a process has them."""

    store: Store
    clock: Clock = field(default_factory=StreamClock)
    settings: Settings = DAILY
    limits: IntakeLimits = field(default_factory=IntakeLimits)

    def __post_init__(self) -> None:
        self.loop = Loop(
            self.store, self.settings, TinyEncoder(), self.clock, pipeline=pipeline()
        )
        self.loop.start()
        self.intake = Intake(self.store, self.loop.calendar, self.clock, self.limits)

    def accept(self, *given: Article, cursor: str | None = None) -> list[Receipt]:
        """Take in articles."""
        return self.intake.accept(given, ORIGIN, cursor)


def other_method(monkeypatch: pytest.MonkeyPatch, base: float) -> None:
    """Have links come about otherwise, by the next version of the method."""
    monkeypatch.setattr("ustory.links.slide.BASE", base)
    for module in ("resume", "correct", "verify"):
        monkeypatch.setattr(f"ustory.service.{module}.METHOD", METHOD + 1)
    monkeypatch.setattr("ustory.engine.snapshot.container.METHOD", METHOD + 1)


@contextmanager
def opened(url: str) -> Iterator[Store]:
    """Open a database for a while."""
    store = Store.open(url)
    try:
        yield store
    finally:
        store.close()


def tell_all(store: Store, stream: Sequence[Article], batch: int = 10) -> Rig:
    """Read a whole stream without an interruption."""
    rig = Rig(store)
    for first in range(0, len(stream), batch):
        part = stream[first : first + batch]
        rig.intake.accept(part, ORIGIN, str(first + len(part)))
        rig.loop.catch_up()
    rig.loop.finish()
    return rig


def outcome(store: Store) -> str:
    """Return the digest of all that was found out."""
    with store.read() as connection:
        return digest(connection)


def ids_in(store: Store) -> list[str]:
    """Return the articles in the archive, by intake number."""
    with store.read() as connection:
        query = select(articles.c.id).order_by(articles.c.seq)
        return list(connection.execute(query).scalars())


def seqs_in(store: Store) -> list[int]:
    """Return all intake numbers."""
    with store.read() as connection:
        query = select(revisions.c.seq).order_by(revisions.c.seq)
        return list(connection.execute(query).scalars())


def kinds_in(store: Store) -> list[str]:
    """Return the kinds of all events, in order."""
    with store.read() as connection:
        query = select(events.c.kind).order_by(events.c.id)
        return list(connection.execute(query).scalars())
