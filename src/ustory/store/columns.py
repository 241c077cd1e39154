"""Columns that hold the same values in SQLite and in PostgreSQL, and tables of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from types import UnionType
from typing import Any, get_args

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Double,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import TEXT as POSTGRES_TEXT
from sqlalchemy.types import TypeDecorator, TypeEngine

from ustory.core.spans import EPOCH, microseconds

Number = BigInteger().with_variant(Integer(), "sqlite")
"""Whole numbers; INTEGER in SQLite, so that a primary key is the row itself."""

Real: Double[float] = Double()

# byte order on both: sorting, keyset pages and digests must not depend on a locale
_BYTES = Text().with_variant(POSTGRES_TEXT(collation="C"), "postgresql")


class TextType(TypeDecorator[str]):
    """Text; what PostgreSQL or UTF-8 cannot hold becomes U+FFFD on both."""

    impl = _BYTES
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return the text without NUL and without half surrogate pairs."""
        del dialect
        return None if value is None else clean(value)


class Moment(TypeDecorator[datetime]):
    """An aware time, as whole microseconds since 1970 in UTC."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return what the dialect calls a whole number."""
        return dialect.type_descriptor(Number)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:  # noqa: ANN401 - SQLAlchemy's own type
        """Return the microseconds."""
        del dialect
        return None if value is None else microseconds(value - EPOCH)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ANN401 - SQLAlchemy's own type
        """Return the time, in UTC."""
        del dialect
        return None if value is None else EPOCH + timedelta(microseconds=value)


class Json(TypeDecorator[Any]):
    """A JSON value as canonical text: sorted keys, no spaces, ASCII."""

    impl = _BYTES
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401 - any JSON value
        """Return the text."""
        del dialect
        return None if value is None else canonical(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value."""
        del dialect
        return None if value is None else json.loads(value)


TABLES = MetaData()
_COLUMN_TYPES: dict[Any, Any] = {
    str: TextType,
    int: Number,
    float: Real,
    bool: Boolean,
    datetime: Moment,
    bytes: LargeBinary,
}
"""Column type of each field type; everything else is JSON."""


def table(name: str, types: Mapping[str, Any], *keys: str) -> Table:
    """Return a table with a column for each field; `X | None` may be null."""
    columns: list[Column[Any]] = []
    for each, given in types.items():
        inner = [one for one in get_args(given) if one is not type(None)]
        nullable = isinstance(given, UnionType) and type(None) in get_args(given)
        kind = _COLUMN_TYPES.get(inner[0] if nullable else given, Json)
        columns.append(
            Column(
                each,
                kind,
                nullable=nullable,
                primary_key=each in keys,
                autoincrement=False,
            )
        )
    return Table(name, TABLES, *columns)


def canonical(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return the one JSON text for a value; numbers that are not finite are null."""
    try:
        return _dumps(value)
    except ValueError:
        return _dumps(_finite(value))


def clean(text: str) -> str:
    """Return the text as every database can hold it."""
    if "\0" in text:
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text


def _dumps(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(inside) for name, inside in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inside) for inside in value]
    return value
