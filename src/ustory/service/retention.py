"""How long things are kept: full texts, and whole articles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.core.spans import format_span
from ustory.store import Store
from ustory.store.forget import forget_articles, forget_texts

EVERY = timedelta(hours=1)
"""How often retention is seen to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What is let go of after a time; None keeps it for ever."""

    texts: timedelta | None = None
    articles: timedelta | None = None

    def check(self, settings: Settings) -> None:
        """Refuse to let go of what is still in the window."""
        for name in ("texts", "articles"):
            span, window = getattr(self, name), settings.window
            if span is None or not isinstance(window, timedelta):
                continue
            if span < window + timedelta(days=1):
                raise ConfigError(
                    f"{name} must be kept for a day longer than the window of "
                    f"{format_span(window)}; got {format_span(span)}"
                )

    def apply(self, store: Store, now: datetime) -> int:
        """Let go of what is too old at `now`; return how many articles were touched.

        In small transactions, so that nobody waits for long. What the kept snapshots
        need to be told again is never let go of.
        """
        gone = 0
        if self.articles is not None:
            gone += _all_of(store, forget_articles, now - self.articles)
        if self.texts is not None:
            gone += _all_of(store, forget_texts, now - self.texts)
        return gone


def _all_of(
    store: Store, forget: Callable[[Connection, datetime], int], before: datetime
) -> int:
    gone = 0
    while True:
        with store.write() as connection:
            step = forget(connection, before)
        gone += step
        if not step:
            return gone
