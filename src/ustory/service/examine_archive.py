"""What `ustory doctor` finds in an archive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from ustory.core.errors import StateError
from ustory.core.method import METHOD
from ustory.engine.snapshot.states import thaw
from ustory.store import Store, snapshots
from ustory.store.articles import all_aside, newest_fetch_by_origin
from ustory.store.epochs import current_epoch
from ustory.store.feeds import all_feeds
from ustory.store.problems import count_problems
from ustory.store.slides import last_done
from ustory.store.tables import FeedRow
from ustory.store.upkeep import check
from ustory.store.watchlists import count_deliveries

Level = Literal["ok", "note", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check, and what to do about it."""

    level: Level
    message: str
    advice: str = ""
    check: str = ""
    """The name of the check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedArchive:
    """An archive to check."""

    store: Store
    file: Path | None
    """The file of a SQLite database."""
    now: datetime


MIN_FAILURES = 3
"""Failures in a row after which a feed is reported."""
SILENT = timedelta(days=7)
"""A feed that answers but brings nothing for this time is silent."""
MAX_DELAY = timedelta(hours=1)
"""A feed that is polled later than this is reported."""
_MAX_NAMED = 5
"""How many findings of one kind are listed."""


def whole(archive: ExaminedArchive) -> Iterator[Finding]:
    """Check that the tables are complete and consistent."""
    wrong = check(archive.store)
    for each in wrong[:_MAX_NAMED]:
        yield Finding(
            "error", each, "put the last good backup in place with `ustory db restore`"
        )
    if not wrong:
        yield Finding("ok", "everything fits together")


def snapshot(archive: ExaminedArchive) -> Iterator[Finding]:
    """Check that the state can be read, so that the next start is fast."""
    with archive.store.read() as connection:
        found = snapshots.newest_good(connection)
        bad = snapshots.damaged(connection)
        done = last_done(connection)
    for slide in bad:
        yield Finding(
            "warning",
            f"the snapshot of slide {slide} is damaged",
            "look at the disk; an older one is used, which takes longer",
        )
    if found is None:
        level: Level = "ok" if done is None else "warning"
        yield Finding(
            level,
            "there is no snapshot that can be read",
            "" if done is None else "the next start computes all slides again",
        )
        return
    try:
        thaw(found.bytes, f"the snapshot of slide {found.slide}")
    except StateError as error:
        yield Finding(
            "warning",
            str(error),
            "the next start uses an older one, or computes all slides again",
        )
        return
    behind = 0 if done is None else done.number - found.slide
    said = f"the snapshot of slide {found.slide} can be read, {behind} slides ago"
    yield Finding("ok", said)


def method(archive: ExaminedArchive) -> Iterator[Finding]:
    """Report which version of the method computed it."""
    with archive.store.read() as connection:
        epoch = current_epoch(connection)
    if epoch is not None and epoch.method != METHOD:
        yield Finding(
            "note",
            f"it was computed by version {epoch.method} of the method; this "
            f"release has version {METHOD}",
            "the next start goes on with the new one, and the ledger says so",
        )
        return
    yield Finding("ok", f"version {METHOD} of the method")


def set_aside(archive: ExaminedArchive) -> Iterator[Finding]:
    """List the articles that are set aside."""
    with archive.store.read() as connection:
        rows = all_aside(connection, _MAX_NAMED)
    for row in rows:
        yield Finding(
            "note",
            f"article {row.article!r} is set aside: {row.reason}",
            "it is in no story; report it if a newer release does the same",
        )
    if not rows:
        yield Finding("ok", "no article is set aside")


def feeds(archive: ExaminedArchive) -> Iterator[Finding]:
    """List the feeds that fail, are silent, or are polled late."""
    with archive.store.read() as connection:
        rows = [row for row in all_feeds(connection) if row.active]
        newest = newest_fetch_by_origin(connection)
    failing = [row for row in rows if row.failures >= MIN_FAILURES]
    for row in failing[:_MAX_NAMED]:
        yield Finding(
            "warning",
            f"{_shown(row)} failed {row.failures} times in a row: "
            f"{row.last_error or 'no reason was kept'}",
            "open it in a browser; remove it if it is gone",
        )
    for row in _silent(rows, newest, archive.now)[:_MAX_NAMED]:
        yield Finding(
            "note",
            f"{_shown(row)} answers, and has brought nothing for a week",
            "see whether it moved, or remove it",
        )
    yield from _late(rows)
    good = len(rows) - len(failing)
    yield Finding("ok", f"{good} of {len(rows)} feeds work")


def _late(rows: list[FeedRow]) -> Iterator[Finding]:
    """List feeds that were due long before others that were polled."""
    asked = max((row.last_ok for row in rows if row.last_ok), default=None)
    if asked is None:
        return
    late = [row for row in rows if row.next_at and asked - row.next_at > MAX_DELAY]
    if late:
        yield Finding(
            "warning",
            f"{len(late)} feeds are polled more than an hour late, the first "
            f"{_shown(late[0])}",
            "their hosts are slow or there are too many: remove some, or poll "
            "less often with --every",
        )


def webhooks(archive: ExaminedArchive) -> Iterator[Finding]:
    """Count the messages that are not accepted."""
    with archive.store.read() as connection:
        due, failed = (count_deliveries(connection, each) for each in ("due", "failed"))
        tried = count_deliveries(connection, "due", tried=True)
    if tried or failed:
        yield Finding(
            "warning" if tried else "note",
            f"{tried} messages are sent again because they were not accepted, "
            f"{failed} were given up",
            "see the receivers; a watchlist without a webhook cancels its own",
        )
        return
    said = f"{due} messages wait"
    yield Finding("ok", said)


def problems(archive: ExaminedArchive) -> Iterator[Finding]:
    """Count the problems since yesterday."""
    since = archive.now - timedelta(days=1)
    with archive.store.read() as connection:
        counts = count_problems(connection, since)
    if counts:
        said = ", ".join(f"{count} × {kind}" for kind, count in counts.items())
        yield Finding(
            "note",
            f"problems since yesterday: {said}",
            "read them on the Operations page or in /api/operations",
        )


def _silent(
    rows: list[FeedRow], newest: dict[str, datetime], now: datetime
) -> list[FeedRow]:
    """Return the feeds that answer but have brought nothing for a week."""
    return [
        row
        for row in rows
        if row.last_ok is not None
        and now - row.added_at > SILENT
        and now - row.last_ok < SILENT
        and now - newest.get(row.url, row.added_at) > SILENT
    ]


def _shown(row: FeedRow) -> str:
    """Return the address of a feed without the password it may hold."""
    scheme, mark, rest = row.url.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{mark}{place.rpartition('@')[2]}{slash}{path.partition('?')[0]}"
