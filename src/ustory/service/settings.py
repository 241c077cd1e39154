"""The settings that a database was begun with, kept in it and held to."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from ustory.core.settings import Settings
from ustory.engine.snapshot.states import refuse_other_settings
from ustory.store import Store
from ustory.store.meta import get_meta, put_meta

KEY = "settings"
SLIDE = timedelta(minutes=15)


def live_settings(**changes: Any) -> Settings:  # noqa: ANN401 - any field
    """Return the settings of a live service: a slide every 15 minutes.

    >>> live_settings().window.days, live_settings().slide.seconds
    (7, 900)
    """
    return replace(Settings(slide=SLIDE), **changes)


def settings_of(store: Store) -> Settings | None:
    """Return the settings that a database was begun with, None if it is new."""
    with store.read() as connection:
        found = get_meta(connection, KEY)
    return None if found is None else Settings().with_(found, where=store.url)


def keep_settings(store: Store, settings: Settings) -> None:
    """Write the settings into a new database; refuse others than it has."""
    found = settings_of(store)
    if found is not None:
        refuse_other_settings(found, settings, store.url)
        return
    with store.write() as connection:
        put_meta(connection, KEY, settings.to_dict())
