"""The portable archive: all tables as gzipped JSON Lines, for either database.

The first line says what it is, then comes each table (a line with its name and
columns, and a line for each row), and the last line holds the checksum of the rest.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    LargeBinary,
    MetaData,
    Table,
    delete,
    inspect,
    select,
)

from ustory.core.errors import StateError
from ustory.core.spans import EPOCH, microseconds
from ustory.store.columns import Moment
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
