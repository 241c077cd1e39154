"""What is wrong, or soon will be, with an archive and what surrounds it.

Everything is only read: nothing is made, migrated or claimed, so it can be asked of an
archive that is served, and of one that no service would open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from ustory.core.errors import UStoryError
from ustory.service import examine_archive, examine_machine
from ustory.service.findings import Archive, Finding
from ustory.store import Store
from ustory.store.address import file_of

_BEFORE = (
    examine_machine.file,
    examine_machine.modes,
    examine_machine.served,
    examine_machine.schema,
)
_CONTENT = (
    examine_archive.whole,
    examine_archive.snapshot,
    examine_archive.method,
    examine_archive.set_aside,
    examine_archive.feeds,
    examine_archive.webhooks,
    examine_archive.problems,
    examine_machine.clock,
)
"""What can be looked at only where the tables are those of this release."""


def examine(url: str, now: datetime) -> list[Finding]:
    """Return what is to be said about an archive, check by check."""
    store = Store.look(url)
    file = file_of(store.engine.url)
    archive = Archive(store=store, file=file, now=now)
    found: list[Finding] = []
    try:
        for look in _BEFORE:
            found += _safely(look, archive)
        if not _blocked(found):
            for look in _CONTENT:
                found += _safely(look, archive)
        found += _safely(examine_machine.disk, archive)
    finally:
        store.close()
    return found


def _safely(
    look: Callable[[Archive], Iterator[Finding]], archive: Archive
) -> list[Finding]:
    """Return what a check finds; one that cannot be made says so, and others go on."""
    name = look.__name__.replace("_", " ")
    try:
        return list(look(archive))
    except UStoryError as error:
        return [Finding(check=name, level="error", message=str(error))]
    except Exception as error:  # noqa: BLE001 - the other checks are still wanted
        said = f"it could not be looked at: {type(error).__name__}: {error}"
        return [Finding(check=name, level="error", message=said)]


def _blocked(found: list[Finding]) -> bool:
    return any(f.level == "error" and f.check in ("file", "schema") for f in found)
