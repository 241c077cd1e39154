"""What a database goes by: the machine's clock, or the dates of its articles."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from ustory.core.errors import ConfigError
from ustory.core.spans import format_span
from ustory.service.first_look import FEEDS, FirstLook, look_at
from ustory.sources.open import kind_of
from ustory.sources.records.cursor import display_name
from ustory.store import Store
from ustory.store.articles import next_seq
from ustory.store.feeds import get_cursor
from ustory.store.meta import get_meta, put_meta
from ustory.store.slides import recent_slides

KEY = "time_basis"
ARTICLES, CLOCK = "articles", "clock"


@dataclass(frozen=True, slots=True)
class TimeBasis:
    """Whether a service goes by the dates of articles, and what to say about it."""

    by_articles: bool
    words: str = ""


def goes_by_articles(store: Store) -> bool:
    """Return whether a database was begun by the dates of its articles."""
    with store.read() as connection:
        return bool(get_meta(connection, KEY) == ARTICLES)


def keep_time_basis(store: Store, *, by_articles: bool) -> None:
    """Write into the database what it goes by, so that the next start agrees."""
    basis = ARTICLES if by_articles else CLOCK
    with store.read() as connection:
        known = get_meta(connection, KEY)
    if known != basis:
        with store.write() as connection:
            put_meta(connection, KEY, basis)


def time_basis_of(
    store: Store, sources: Sequence[str], window: timedelta, now: datetime
) -> TimeBasis:
    """Return what a service should go by that was not told; it looks at its files.

    Old news by the machine's clock would be in no story. If a database would have to
    go by both, a ConfigError names the command to run instead.
    """
    if goes_by_articles(store):
        _refuse_feeds(store, sources)
        words = f"{store.url} goes by the dates of its articles, as it was begun"
        return TimeBasis(by_articles=True, words=words)
    looks = {name: look_at(name, now) for name in _unread(store, sources)}
    found = [look for look in looks.values() if look is not None]
    old = [look for look in found if look.is_old(window, now)]
    if not old:
        return TimeBasis(by_articles=False, words=_of_late(found, window, now))
    known = {look.name for look in found if not (look.first or look.last)}
    others = [s for s in sources if s not in known and s not in {o.name for o in old}]
    if not _is_new(store) or others:
        raise ConfigError(_other_command(store, old, others, window))
    return TimeBasis(by_articles=True, words=_replayed(old, window))


def _unread(store: Store, sources: Sequence[str]) -> list[str]:
    """Return the sources of which nothing was read yet."""
    with store.read() as connection:
        return [
            name
            for name in dict.fromkeys(sources)
            if get_cursor(connection, display_name(name)) is None
        ]


def _is_new(store: Store) -> bool:
    with store.read() as connection:
        return next_seq(connection) == 1 and not recent_slides(connection, 1)


def _refuse_feeds(store: Store, sources: Sequence[str]) -> None:
    feeds = [name for name in sources if kind_of(name) == FEEDS]
    if feeds:
        raise ConfigError(
            f"{store.url} goes by the dates of its articles, and {' and '.join(feeds)} "
            f"{'brings' if len(feeds) == 1 else 'bring'} news of now: a database goes "
            f"by one time. Run `{_command(feeds, _free('live', store))}`"
        )


def _replayed(old: Sequence[FirstLook], window: timedelta) -> str:
    names = " and ".join(look.name for look in old)
    are, they = ("is", "it is") if len(old) == 1 else ("are", "they are")
    return (
        f"{names} {are} from {max(look.year for look in old)}, older than the window "
        f"of {format_span(window)}: {they} replayed by the dates of the articles"
    )


def _other_command(
    store: Store, old: Sequence[FirstLook], others: Sequence[str], window: timedelta
) -> str:
    names = [look.name for look in old]
    are = "is" if len(names) == 1 else "are"
    why = f"{store.url} has other news already"
    if others:
        verb = "goes" if len(others) == 1 else "go"
        why = f"{' and '.join(others)} {verb} by the clock"
    place = _free(Path(names[0]).name.partition(".")[0] or "replay", store)
    return (
        f"{' and '.join(names)} {are} from {max(look.year for look in old)}, older "
        f"than the window of {format_span(window)}, and {why}: a database goes by one "
        f"time. To replay old news by its own dates, run `{_command(names, place)}`"
    )


def _of_late(found: Sequence[FirstLook], window: timedelta, now: datetime) -> str:
    """Return what is said of files that begin before the window and are still written.

    They are followed by the clock: what is older than the window is in no story.
    """
    early = [look.name for look in found if look.begins_old(window, now)]
    if not early:
        return ""
    return (
        f"{' and '.join(early)} {'begins' if len(early) == 1 else 'begin'} before the "
        f"window of {format_span(window)}: what is older is stored, and in no story; "
        "to replay all of it, give --as-of-articles and a new --database"
    )


def _free(stem: str, store: Store) -> str:
    """Return the name of a database that is not there yet."""
    name, number = f"{stem}.db", 1
    while Path(name).exists() or store.url.endswith(name):
        number += 1
        name = f"{stem}-{number}.db"
    return name


def _command(sources: Sequence[str], database: str) -> str:
    return shlex.join(["ustory", "serve", *sources, "--database", database])
