"""Copies of a database in a file of their own, also before its schema changes."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Engine, text

from ustory.core.errors import ConfigError, StateError
from ustory.store.address import file_of
from ustory.store.archive import write_archive
from ustory.store.errors import Unavailable, in_words
from ustory.store.modes import make_own

_ENDING = "backup"


def write_backup(engine: Engine, path: Path, *, replace: bool = False) -> None:
    """Write a copy of a database into a file, while it is used.

    A SQLite database becomes a SQLite file, PostgreSQL a portable archive. A file
    that is there is replaced, or refused.
    """
    with new_file(path, replace=replace) as part:
        if engine.dialect.name == "sqlite":
            with in_words(str(part)):
                _copy_sqlite(engine, part)
        else:
            with engine.connect() as plain:
                level = "REPEATABLE READ"
                connection = plain.execution_options(isolation_level=level)
                with connection.begin():
                    write_archive(connection, part)


def back_up_before(engine: Engine, schema: str) -> Path:
    """Write a backup before a database gets another schema; return its file.

    It lies beside a SQLite database, and in the working folder for PostgreSQL, and
    is named after the database and its schema. One that was written earlier from
    the same schema is replaced: the database may have grown since.
    """
    path = _place(engine, schema)
    _refuse_without_room(engine, path)
    write_backup(engine, path, replace=True)
    return path


@contextmanager
def new_file(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """Give a name to write to, and the right one once all of it is on the disk."""
    if path.exists() and not replace:
        raise ConfigError(f"{path} is there already; give the backup a new name")
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)
        make_own(part)
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        reason = "full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "refused"
        raise Unavailable(reason, f"{path} cannot be written ({error})") from error
    finally:
        if part.exists():
            part.unlink()


def _place(engine: Engine, schema: str) -> Path:
    file = file_of(engine.url)
    if file is None:
        return Path(f"{engine.url.database or 'ustory'}.{schema}.{_ENDING}").absolute()
    return file.absolute().with_name(f"{file.name}.{schema}.{_ENDING}")


def _refuse_without_room(engine: Engine, path: Path) -> None:
    needed, free = size_on_disk(engine), shutil.disk_usage(path.parent).free
    if free < needed:
        raise StateError(
            f"the backup {path} needs up to {_megabytes(needed)}, and "
            f"{_megabytes(free)} are free: make room, or upgrade without a backup of "
            "its own with `ustory db upgrade --no-backup`"
        )


def size_on_disk(engine: Engine) -> int:
    """Return how many bytes a database has on its disk."""
    file = file_of(engine.url)
    if file is not None:
        file = file.resolve()
        beside = [file, file.with_name(file.name + "-wal")]
        return sum(each.stat().st_size for each in beside if each.exists())
    with engine.connect() as connection:
        size = connection.execute(text("SELECT pg_database_size(current_database())"))
        return int(size.scalar_one())


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"


def _copy_sqlite(engine: Engine, path: Path) -> None:
    with (
        closing(engine.raw_connection()) as source,
        closing(sqlite3.connect(path)) as target,
    ):
        assert source.driver_connection is not None
        source.driver_connection.backup(target, pages=4096)
        # one file, that can be copied and read where nothing may be written
        target.execute("PRAGMA journal_mode=DELETE")
