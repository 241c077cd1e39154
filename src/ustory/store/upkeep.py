"""Looking after a database: check it, back it up, put a backup in its place."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ustory.core.errors import StateError
from ustory.store.archive import read_archive, write_archive
from ustory.store.backup import new_file, write_backup
from ustory.store.check import check
from ustory.store.database import Store
from ustory.store.errors import in_words
from ustory.store.migrate import migrate

__all__ = ["archive", "backup", "check", "restore"]

_SQLITE_MAGIC = b"SQLite format 3\0"


def backup(store: Store, path: Path | str) -> None:
    """Write a copy of the database into a new file, while it is used.

    A SQLite database becomes a SQLite file, PostgreSQL a portable archive; `restore`
    reads both.
    """
    write_backup(store.engine, Path(path))


def archive(store: Store, path: Path | str) -> None:
    """Write the portable archive of the database into a new file."""
    with new_file(Path(path)) as part, store.read() as connection:
        write_archive(connection, part)


def restore(path: Path | str, store: Store) -> None:
    """Put a backup or an archive in the place of all that is in the database.

    Nothing changes where the backup is damaged, and nothing may serve it meanwhile.
    """
    path = Path(path)
    if not path.is_file():
        raise StateError(f"there is no backup {path}; give a file that is there")
    with path.open("rb") as file:
        sqlite_file = file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
    with store.lock():
        if not sqlite_file:
            with store.write() as connection:
                read_archive(connection, path)
        elif store.is_sqlite:
            _restore_sqlite(path, store)
        else:
            raise StateError(
                f"{path} is a copy of a SQLite database, and {store.url} is not one; "
                "make a portable archive with `ustory db export` and restore that"
            )


def _restore_sqlite(path: Path, store: Store) -> None:
    with (
        in_words(str(path)),
        closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        ) as source,
    ):
        said = [row[0] for row in source.execute("PRAGMA integrity_check(5)")]
        if said != ["ok"]:
            raise StateError(f"the backup {path} is damaged ({said[0]}); give another")
        names = source.execute("SELECT name FROM sqlite_master").fetchall()
        if ("revisions",) not in names:
            raise StateError(f"{path} is not a database of ustory; give one that is")
        with closing(store.engine.raw_connection()) as target:
            assert target.driver_connection is not None
            source.backup(target.driver_connection)
    store.engine.dispose()
    migrate(store)
