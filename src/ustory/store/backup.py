"""Copies of a database: SQLite files, and the portable archive for either database.

The archive is all tables as gzipped JSON Lines. Its first line names format and schema,
then comes each table (a line with its name and columns, and a line for each row), and
the last line holds the checksum of the rest.
"""

from __future__ import annotations

import base64
import errno
import gzip
import hashlib
import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    LargeBinary,
    MetaData,
    Table,
    delete,
    inspect,
    select,
    text,
)

from ustory.core.errors import ConfigError, StateError
from ustory.core.spans import EPOCH, microseconds
from ustory.store.address import file_of, make_own
from ustory.store.columns import Moment
from ustory.store.errors import Unavailable, in_words
from ustory.store.mapping import PAGE, add, all_pages
from ustory.store.migrate import (
    empty,
    is_known,
    newest_revision,
    revision,
    upgrade_to,
)
from ustory.store.reindex import rebuild_search
from ustory.store.tables import tables

_FORMAT = "ustory-archive"


def write_archive(connection: Connection, path: Path) -> None:
    """Write everything there is into one file."""
    whole = hashlib.sha256()
    # no time and no name inside, so that equal archives are equal files
    with path.open("wb") as plain, gzip.GzipFile("", "wb", 6, plain, 0) as file:
        for line in _lines(connection):
            written = json.dumps(line, separators=(",", ":")).encode() + b"\n"
            whole.update(written)
            file.write(written)
        file.write(json.dumps({"sha256": whole.hexdigest()}).encode() + b"\n")


def read_archive(connection: Connection, path: Path) -> None:
    """Put an archive in the place of all there is; a damaged one changes nothing."""
    schema = verify_archive(path)
    if schema == newest_revision():
        for old in tables.sorted_tables:
            connection.execute(delete(old))
        _fill(connection, path, tables)
    else:
        # as the older release made them, and from there as every database goes on
        empty(connection)
        upgrade_to(connection, schema)
        _fill(connection, path, tables_of(connection))
        upgrade_to(connection, "head")
    rebuild_search(connection)


def tables_of(connection: Connection) -> MetaData:
    """Return the tables that a database has, of whatever schema it is.

    A column has the type that it has today: what a name means never changes.
    """
    found, here = inspect(connection), MetaData()
    for name in found.get_table_names():
        if name == "alembic_version" or name.startswith("search_"):
            continue
        today = tables.tables.get(name)
        keys = found.get_pk_constraint(name)["constrained_columns"]
        Table(
            name,
            here,
            *(
                Column(
                    column["name"],
                    column["type"]
                    if today is None or column["name"] not in today.c
                    else today.c[column["name"]].type,
                    primary_key=column["name"] in keys,
                )
                for column in found.get_columns(name)
            ),
        )
    return here


def _fill(connection: Connection, path: Path, known: MetaData) -> None:
    """Insert all rows of an archive."""
    table: Table | None = None
    columns: list[Column[Any]] = []
    rows: list[dict[str, Any]] = []
    for line in _read(path):
        if isinstance(line, dict) and "table" in line:
            _flush(connection, table, rows)
            table = known.tables[line["table"]]
            columns = [table.c[name] for name in line["columns"]]
        elif isinstance(line, list):
            pairs = zip(columns, line, strict=True)
            rows.append({column.name: _decode(v, column) for column, v in pairs})
            if len(rows) >= PAGE:
                _flush(connection, table, rows)
    _flush(connection, table, rows)


def verify_archive(path: Path) -> str:
    """Read an archive to its end, and return the schema it was written with.

    Raises StateError where it is not whole, or not ours.
    """
    whole, before, first = hashlib.sha256(), b"", b""
    try:
        with gzip.open(path, "rb") as file:
            for line in file:
                whole.update(before)
                first, before = first or line, line
        header, ending = json.loads(first or b"{}"), json.loads(before or b"{}")
    except (EOFError, gzip.BadGzipFile, zlib.error, ValueError) as error:
        raise _damaged(path, str(error)) from error
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise StateError(f"{path} is not an archive of ustory; give one that is")
    schema = header.get("schema")
    if not is_known(schema):
        raise StateError(
            f"{path} was written with schema {schema}, which is newer than this ustory "
            f"knows ({newest_revision()}); use the ustory that wrote it, or a newer one"
        )
    if not isinstance(ending, dict) or ending.get("sha256") != whole.hexdigest():
        raise _damaged(path, "the checksum is wrong")
    return str(schema)


def _damaged(path: Path, why: str) -> StateError:
    return StateError(f"the archive {path} is damaged ({why}); give another copy of it")


def _lines(connection: Connection) -> Iterator[Any]:
    yield {"format": _FORMAT, "schema": revision(connection)}
    for table in tables_of(connection).sorted_tables:
        columns = list(table.c)
        yield {"table": table.name, "columns": [column.name for column in columns]}
        for page in all_pages(connection, select(*columns), list(table.primary_key)):
            for row in page:
                pairs = zip(columns, row, strict=True)
                yield [_encode(value, column) for column, value in pairs]


def _read(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rb") as file:
        for line in file:
            yield json.loads(line)


def _encode(value: Any, column: Column[Any]) -> Any:  # noqa: ANN401 - any column's value
    if value is None:
        return None
    if isinstance(column.type, Moment):
        return microseconds(value - EPOCH)
    if isinstance(column.type, LargeBinary):
        return base64.b64encode(value).decode()
    return value


def _decode(value: Any, column: Column[Any]) -> Any:  # noqa: ANN401 - any column's value
    if value is None:
        return None
    if isinstance(column.type, Moment):
        return EPOCH + timedelta(microseconds=value)
    if isinstance(column.type, LargeBinary):
        return base64.b64decode(value)
    return value


def _flush(
    connection: Connection, table: Table | None, rows: list[dict[str, Any]]
) -> None:
    if table is not None:
        add(connection, table, rows)
    rows.clear()


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
