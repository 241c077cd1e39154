"""The settings that a database was started with, and how long its content is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from ustory.core.errors import ConfigError
from ustory.core.settings import NO_GIST, Settings
from ustory.core.spans import format_span
from ustory.encode.gist import with_gist_encoder
from ustory.engine.snapshot.states import refuse_other_settings
from ustory.store import Connection, Store
from ustory.store.forget import forget_articles, forget_texts
from ustory.store.meta import get_meta, put_meta

KEY = "settings"
SLIDE = timedelta(minutes=15)


def live_settings(**changes: Any) -> Settings:  # noqa: ANN401 - any field
    """Return the settings of a live service: a slide every 15 minutes.

    >>> live_settings().window.days, live_settings().slide.seconds
    (7, 900)
    """
    return replace(Settings(slide=SLIDE), **changes)


def replay_settings(changes: Mapping[str, Any]) -> Settings:
    """Return the settings of a service that replays old news: a slide every day.

    It moves as `ustory discover` does: a quarter of an hour at a time a month would be
    thousands of slides. With a window of its own the slide stays that of a service.

    >>> replay_settings({}).slide.days, replay_settings({"window": "12h"}).slide.seconds
    (1, 900)
    """
    return live_settings() if "window" in changes else Settings()


def settings_of(store: Store) -> Settings | None:
    """Return the settings that a database was begun with, None if it is new."""
    with store.read() as connection:
        found = get_meta(connection, KEY)
    if found is None:
        return None
    # gists are newer than some databases, which go on without them
    return Settings().with_({"gist_encoder": NO_GIST, **found}, where=store.url)


def settled(store: Store, settings: Settings) -> Settings:
    """Return the settings with `gist_encoder` as the database has it from its start."""
    found = settings_of(store)
    if found is not None and settings.gist_encoder == "auto":
        return replace(settings, gist_encoder=found.gist_encoder)
    return with_gist_encoder(settings)


def keep_settings(store: Store, settings: Settings) -> None:
    """Write the settings into a new database; refuse others than it has."""
    found = settings_of(store)
    if found is not None:
        refuse_other_settings(found, settings, store.url)
        return
    with store.write() as connection:
        put_meta(connection, KEY, settings.to_dict())


EVERY = timedelta(hours=1)
"""How often retention is applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long texts and articles are kept; None is for ever."""

    texts: timedelta | None = None
    articles: timedelta | None = None

    def check(self, settings: Settings) -> None:
        """Refuse to remove what is still in the window."""
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
        """Remove what is too old at `now`; return how many articles changed.

        In small transactions, so that nobody waits for long. Articles that stored
        snapshots need for computing slides again are never removed.
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
