"""What `ustory doctor` finds on the machine and in the archive."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ustory.core.errors import UStoryError
from ustory.service import examine_archive
from ustory.service.clock import JUMP
from ustory.service.examine_archive import ExaminedArchive, Finding
from ustory.store import Store
from ustory.store.address import file_of, refuse_emptied
from ustory.store.articles import newest_fetch
from ustory.store.backup import size_on_disk
from ustory.store.claim import is_served
from ustory.store.migrate import is_known, newest_revision, revision
from ustory.store.slides import recent_slides

MIN_FREE = 100_000_000
"""Bytes of a disk that should stay free."""


def file(archive: ExaminedArchive) -> Iterator[Finding]:
    """Check that the file is not empty and has only one name."""
    file = archive.file
    if file is None:
        yield Finding("ok", "it is on a PostgreSQL server")
        return
    refuse_emptied(file)
    links = file.stat().st_nlink
    if links > 1:
        yield Finding(
            "warning",
            f"{file} has {links} names (hard links): no service starts on it",
            f"find the others with `find / -samefile {file}` and remove them",
        )
    yield Finding("ok", f"{file} is there")


def modes(archive: ExaminedArchive) -> Iterator[Finding]:
    """Check that nobody else can read the files: they hold webhook secrets."""
    file = archive.file
    if file is None:
        return
    here = file.resolve()
    open_ = [
        each
        for each in (here, *(here.with_name(here.name + e) for e in ("-wal", "-shm")))
        if each.exists() and each.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    ]
    for each in open_:
        yield Finding(
            "warning",
            f"others may read {each} (mode {_mode(each):o})",
            f"chmod 600 {each}",
        )
    folder = here.parent.stat().st_mode
    if folder & stat.S_IWOTH and not folder & stat.S_ISVTX:
        yield Finding(
            "warning",
            f"anybody may replace files in {here.parent}",
            f"chmod o-w {here.parent}",
        )
    if not open_:
        yield Finding("ok", "only its owner may read it")


def served(archive: ExaminedArchive) -> Iterator[Finding]:
    """Report whether a service uses it now; either is fine."""
    said = (
        "a service uses it now"
        if is_served(archive.store.engine)
        else "no service uses it now"
    )
    yield Finding("ok", said)


def schema(archive: ExaminedArchive) -> Iterator[Finding]:
    """Check that the schema is that of this release."""
    with archive.store.read() as connection:
        found = revision(connection)
    newest = newest_revision()
    if found is None:
        yield Finding(
            "error",
            "there are no tables of ustory in it",
            "name the database of `ustory serve`",
        )
    elif found == newest:
        yield Finding("ok", f"schema {found}, the newest")
    elif is_known(found):
        yield Finding(
            "error",
            f"its schema is {found}, that of an older release; the newest is {newest}",
            "stop the service that uses it, then run `ustory db upgrade`, which "
            "writes a backup first",
        )
    else:
        yield Finding(
            "error",
            f"its schema is {found}, which this release does not know",
            "use the release that wrote it, or a newer one",
        )


def clock(archive: ExaminedArchive) -> Iterator[Finding]:
    """Check that the machine's clock is after all stored dates."""
    now = archive.now
    with archive.store.read() as connection:
        newest = recent_slides(connection, 1)
        fetched = newest_fetch(connection)
    ahead = [
        (f"slide {row.number} began", row.start) for row in newest if row.start > now
    ]
    if fetched is not None and fetched > now:
        ahead.append(("an article came in", fetched))
    ahead += _files_ahead(archive)
    for what, when in ahead:
        far = when - now > JUMP
        yield Finding(
            "error" if far else "note",
            f"{what} at {when:%Y-%m-%d %H:%M} UTC, and the clock says "
            f"{now:%Y-%m-%d %H:%M}",
            "set the clock right; if it is right now, it was ahead then: "
            "`ustory db repair --clock` dates back what it wrote",
        )
    if not ahead:
        said = f"{now:%Y-%m-%d %H:%M} UTC, after all that was written"
        yield Finding("ok", said)


def _files_ahead(archive: ExaminedArchive) -> list[tuple[str, datetime]]:
    if archive.file is None:
        return []
    changed = datetime.fromtimestamp(archive.file.stat().st_mtime, UTC)
    moment = timedelta(seconds=2)  # some disks round up
    ahead = changed > archive.now + moment
    return [(f"{archive.file} was changed", changed)] if ahead else []


def disk(archive: ExaminedArchive) -> Iterator[Finding]:
    """Check that there is room for a backup and for an upgrade."""
    size, folder = size_on_disk(archive.store.engine), Path()
    if archive.file is not None:
        folder = archive.file.resolve().parent
    free = shutil.disk_usage(folder).free
    needed = {"a backup": size, "an upgrade, with its backup": 2 * size}
    short = [what for what, bytes_ in needed.items() if free < bytes_ + MIN_FREE]
    said = f"{_megabytes(free)} are free, the archive has {_megabytes(size)}"
    if not short:
        yield Finding("ok", said)
        return
    yield Finding(
        "error" if free < MIN_FREE else "warning",
        f"{said}: not enough for {' and for '.join(short)}",
        "make room, or remove old texts with --keep-text",
    )


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"


def _mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


_BEFORE = (file, modes, served, schema)
_CONTENT = (
    examine_archive.whole,
    examine_archive.snapshot,
    examine_archive.method,
    examine_archive.set_aside,
    examine_archive.feeds,
    examine_archive.webhooks,
    examine_archive.problems,
    clock,
)
"""Checks that need the tables of this release."""


def examine(url: str, now: datetime) -> list[Finding]:
    """Return the findings of all checks of an archive."""
    store = Store.look(url)
    file = file_of(store.engine.url)
    archive = ExaminedArchive(store=store, file=file, now=now)
    found: list[Finding] = []
    try:
        for look in _BEFORE:
            found += _safely(look, archive)
        if not _blocked(found):
            for look in _CONTENT:
                found += _safely(look, archive)
        found += _safely(disk, archive)
    finally:
        store.close()
    return found


def _safely(
    look: Callable[[ExaminedArchive], Iterator[Finding]], archive: ExaminedArchive
) -> list[Finding]:
    """Return what a check finds; if it fails, that it failed."""
    try:
        found = list(look(archive))
    except UStoryError as error:
        found = [Finding("error", str(error))]
    except Exception as error:  # noqa: BLE001 - the other checks are still wanted
        said = f"it could not be looked at: {type(error).__name__}: {error}"
        found = [Finding("error", said)]
    name = look.__name__.replace("_", " ")
    return [replace(each, check=name) for each in found]


def _blocked(found: list[Finding]) -> bool:
    return any(f.level == "error" and f.check in ("file", "schema") for f in found)
