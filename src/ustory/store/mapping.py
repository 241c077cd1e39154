"""Rows as values and back, pages of them, and the statements that every table needs."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sqlalchemy import (
    Column,
    Connection,
    Double,
    Row,
    Select,
    Table,
    func,
    insert,
    select,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite

from ustory.core.errors import ConfigError
from ustory.core.spans import EPOCH, microseconds
from ustory.store.columns import Moment, TextType, canonical

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R", bound="DataclassInstance")
T = TypeVar("T")

CHUNK = 500
"""How many values one statement may name."""
PAGE = 1_000
"""How many rows are read at once from a table that may be large."""


def values(row: DataclassInstance) -> dict[str, Any]:
    """Return the fields of a row by name."""
    return {name: getattr(row, name) for name in _names(type(row))}


def load(kind: type[R], found: Mapping[Any, Any]) -> R:
    """Return a row of this kind from what the database gave."""
    given = {name: found[name] for name in _names(kind)}
    for name in _tuples(kind):
        given[name] = None if given[name] is None else tuple(given[name])
    return kind(**given)


def load_all(connection: Connection, query: Select[Any], kind: type[R]) -> list[R]:
    """Return every row a query finds."""
    found = connection.execute(query)
    # by place, not by name: rows are many, and names are looked up slowly
    places = {name: place for place, name in enumerate(found.keys())}
    tuples = _tuples(kind)
    wanted = [(name, places[name], name in tuples) for name in _names(kind)]
    return [
        kind(
            **{
                name: tuple(row[at]) if many and row[at] is not None else row[at]
                for name, at, many in wanted
            }
        )
        for row in found
    ]


def load_one(connection: Connection, query: Select[Any], kind: type[R]) -> R | None:
    """Return the first row a query finds, None where there is none."""
    found = connection.execute(query.limit(1)).mappings().first()
    return None if found is None else load(kind, found)


def page_after(
    connection: Connection,
    query: Select[Any],
    key: Sequence[Column[Any]],
    after: Row[Any] | None = None,
) -> Sequence[Row[Any]]:
    """Return the next page of a query in the order of a unique key it selects."""
    if after is not None:
        last = [after._mapping[column] for column in key]
        query = query.where(tuple_(*key) > tuple(last))
    return connection.execute(query.order_by(*key).limit(PAGE)).all()


def all_pages(
    connection: Connection, query: Select[Any], key: Sequence[Column[Any]]
) -> Iterator[Sequence[Row[Any]]]:
    """Yield all rows of a query, a page at a time, in the order of a unique key."""
    found = page_after(connection, query, key)
    while found:
        yield found
        found = page_after(connection, query, key, found[-1])


def add(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Insert rows; none may be there yet."""
    if rows:
        connection.execute(insert(table), list(rows))


def upsert(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Insert rows, or replace those with the same key."""
    if not rows:
        return
    keys = [column.name for column in table.primary_key]
    make = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    statement = make(table)
    changed = {name: statement.excluded[name] for name in rows[0] if name not in keys}
    if changed:
        statement = statement.on_conflict_do_update(index_elements=keys, set_=changed)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=keys)
    connection.execute(statement, list(rows))


def next_number(connection: Connection, column: Column[Any]) -> int:
    """Return one more than the highest number; only a writer may use it.

    Databases leave gaps in numbers they give themselves, and not the same ones.
    """
    highest = connection.execute(select(func.max(column))).scalar_one()
    return 1 if highest is None else int(highest) + 1


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """Return the distinct values, in as few lists as statements can hold."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), CHUNK):
        yield distinct[start : start + CHUNK]


@cache
def _names(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@cache
def _tuples(kind: type[DataclassInstance]) -> tuple[str, ...]:
    found = (field for field in fields(kind) if str(field.type).startswith("tuple"))
    return tuple(field.name for field in found)


_LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class RowPage(Generic[T]):
    """Some of a list, and where the rest begins (None: there is no more).

    A page may hold fewer than was asked for, and still have a cursor.
    """

    items: Sequence[T]
    cursor: str | None = None
    total: int | None = None
    """How many there are on all pages, where that is known."""
    before: int = 0
    """How many there are on the pages before, where the total is known."""


def page_of(
    found: Sequence[T], limit: int, key: Callable[[T], tuple[object, ...]]
) -> RowPage[T]:
    """Return the first `limit` of what was found, with a cursor if there is more."""
    if len(found) <= limit:
        return RowPage(found)
    return RowPage(found[:limit], encode_cursor(key(found[limit - 1])))


def encode_cursor(key: tuple[object, ...]) -> str:
    """Return the text of a key: the name of a list, and its values in a row."""
    plain = [
        microseconds(value - EPOCH) if isinstance(value, datetime) else value
        for value in key
    ]
    return base64.urlsafe_b64encode(canonical(plain).encode()).decode().rstrip("=")


def decode_cursor(
    cursor: str, name: str, columns: Sequence[Column[Any]]
) -> tuple[Any, ...]:
    """Return the key a page of the list `name` gave; others are refused in words."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        plain = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if not isinstance(plain, list) or len(plain) != 1 + len(columns):
            raise ValueError("not a key")
        if plain[0] != name:
            raise ValueError("of another list")
        pairs = zip(plain[1:], columns, strict=True)
        return tuple(_value(value, column) for value, column in pairs)
    except (ValueError, RecursionError, OverflowError, binascii.Error) as error:
        raise ConfigError(
            f"a cursor is what the page before gave, for the same list; got "
            f"{cursor[:80]!r}: begin again without one"
        ) from error


def _value(value: object, column: Column[Any]) -> object:
    if isinstance(column.type, TextType):
        if isinstance(value, str):
            return value
    elif isinstance(column.type, Double):
        if isinstance(value, int | float) and math.isfinite(value):
            return float(value)
    elif isinstance(value, int) and abs(value) < _LARGEST:
        if isinstance(column.type, Moment):
            return EPOCH + timedelta(microseconds=value)
        return value
    raise ValueError("not a value of that column")
