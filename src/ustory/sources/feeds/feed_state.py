"""Where we stand with a feed, and what an answer of it changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ustory.core.backoff import Backoff
from ustory.core.errors import ConfigError
from ustory.sources.http.politeness import draw, spread

_LONG_ERROR = 500
_TOKEN = re.compile(r"[!-~][ -~]{0,499}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedState:
    """All that is kept of a feed between two requests."""

    url: str
    added_at: datetime
    next_at: datetime
    """When it is due."""
    title: str = ""
    etag: str | None = None
    modified: str | None = None
    """The Last-Modified header, word for word."""
    failures: int = 0
    """In a row, until now."""
    last_ok: datetime | None = None
    last_error: str | None = None
    status: int | None = None
    """Of the last answer; None if there was none."""
    articles: int = 0
    """How many it has given, edits counted again."""
    active: bool = True
    """Whether it is asked at all: not once its address is gone for good."""

    @classmethod
    def new(cls, url: str, now: datetime, title: str = "") -> FeedState:
        """Return the state of a feed that was never asked, and is due."""
        return cls(url=url, added_at=now, next_at=now, title=title)


@dataclass(frozen=True, slots=True, kw_only=True)
class PollSettings:
    """How often feeds are asked, and how many at a time."""

    every: timedelta = timedelta(minutes=15)
    longest: timedelta = timedelta(days=1)
    """The longest wait after failures."""
    workers: int = 8
    """Feeds asked at a time of those that answered the last time."""
    newcomers: int = 48
    """Feeds asked at a time of those that did not, or were never asked."""
    slow: int = 8
    """Feeds asked at a time of those that need longer than `first`."""
    first: float = 5.0
    """Seconds for an answer; who needs more is asked again among the slow."""
    readers: int = 8
    """Feeds at a time whose full texts are read; as many again for slow pages."""
    pages: int = 20
    """Full texts that are read for one feed at a time; the others wait."""
    reading: float = 30.0
    """Seconds for the full texts of one feed at a time."""
    patience: float | None = None
    """Seconds after which a round ends although feeds are still being asked; what
    they bring is given by a later round. None: a round waits for all."""
    seed: int = 0
    """Spreads the waits, the same way each time."""

    def __post_init__(self) -> None:
        """Refuse what would ask without a pause, or never."""
        if self.every < timedelta(minutes=1):
            raise ConfigError(
                f"a feed may be asked once a minute, not every {self.every}; "
                "give it a minute or more"
            )
        numbers = ("workers", "newcomers", "slow", "readers", "pages")
        least = min(numbers, key=lambda name: getattr(self, name))
        if self.longest < self.every or getattr(self, least) < 1:
            raise ConfigError(
                f"`longest` must be at least `every`, and {', '.join(numbers)} at "
                f"least 1; got {self.longest}, and {least} {getattr(self, least)}"
            )


def after_success(
    state: FeedState, now: datetime, settings: PollSettings, status: int
) -> FeedState:
    """Return the state after an answer that could be used."""
    number = int(now.timestamp())
    pause = spread(settings.every, seed=settings.seed, key=state.url, number=number)
    return replace(
        state,
        next_at=now + pause,
        failures=0,
        last_ok=now,
        last_error=None,
        status=status,
    )


def after_failure(
    state: FeedState,
    now: datetime,
    settings: PollSettings,
    error: str,
    status: int | None = None,
    asked: timedelta | None = None,
) -> FeedState:
    """Return the state after a failure; `asked` is the pause that the host wants."""
    failures = state.failures + 1
    chance = draw(settings.seed, state.url, failures)
    pause = Backoff(settings.every, settings.longest).after(failures, chance)
    return replace(
        state,
        next_at=now + max(pause, asked or pause),
        failures=failures,
        last_error=error[:_LONG_ERROR],
        status=status,
    )


def conditions(state: FeedState) -> dict[str, str]:
    """Return the headers that ask for a feed only if it has changed."""
    asked = {"if-none-match": state.etag, "if-modified-since": state.modified}
    return {name: value for name, value in asked.items() if value}


def with_validators(state: FeedState, headers: Mapping[str, str]) -> FeedState:
    """Return the state with what the next request can ask by."""
    # What cannot be sent back in a header would spoil every later request.
    etag, modified = (
        value if value and _TOKEN.fullmatch(value) else None
        for value in (headers.get("etag"), headers.get("last-modified"))
    )
    return replace(state, etag=etag, modified=modified)
