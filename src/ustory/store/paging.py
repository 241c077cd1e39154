"""Cursors: where the next page of a list begins, as text nobody needs to read."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from sqlalchemy import Column, Double

from ustory.core.errors import ConfigError
from ustory.core.spans import EPOCH, microseconds
from ustory.store.columns import Moment, Words, canonical

T = TypeVar("T")
_LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of a list, and where the rest begins (None: there is no more).

    A page may hold fewer than was asked for, and still have a cursor.
    """

    items: Sequence[T]
    cursor: str | None = None


def page_of(
    found: Sequence[T], limit: int, key: Callable[[T], tuple[object, ...]]
) -> Page[T]:
    """Return the first `limit` of what was found, with a cursor if there is more."""
    if len(found) <= limit:
        return Page(found)
    return Page(found[:limit], encode_cursor(key(found[limit - 1])))


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
    if isinstance(column.type, Words):
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
