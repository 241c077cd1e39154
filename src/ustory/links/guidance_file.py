"""Guidance in a file: TOML, every fault named with its file, its table and a remedy."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from ustory.core.errors import ConfigError

LARGEST = 8 << 20
"""Bytes of a guidance file."""

Whole = TypeVar("Whole")


def read_guidance(path: Path, whole: Callable[..., Whole], part: Any) -> Whole:  # noqa: ANN401 - two dataclasses
    """Return `whole` made of the file, with its tables `[[watched]]` made `part`s."""
    table = _table(path)
    _refuse_unknown(table, whole, str(path))
    given = table.get("watched", [])
    if not isinstance(given, list) or not all(isinstance(t, dict) for t in given):
        raise ConfigError(
            f"{path}: watched must be tables; begin each story with a line [[watched]]"
        )
    watched = [_watched(t, part, _where(path, i, t)) for i, t in enumerate(given, 1)]
    return _made(whole, {**table, "watched": watched}, str(path))


def _table(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise ConfigError(
                f"{path}: a guidance file must have at most {LARGEST >> 20} MiB; give "
                "fewer or shorter examples"
            )
        return tomllib.loads(data.decode())
    except OSError as error:
        raise ConfigError(f"cannot read guidance from {path}: {error}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: not a TOML file in UTF-8: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: brackets are nested too deeply") from error


def _watched(table: Mapping[str, Any], part: Any, where: str) -> Any:  # noqa: ANN401 - a dataclass
    _refuse_unknown(table, part, where)
    if "name" not in table:
        raise ConfigError(f'{where}: the story needs a name; add name = "..."')
    moments = {
        key: _moment(table[key], f"{where}: {key}", key == "until")
        for key in ("since", "until")
        if key in table
    }
    return _made(part, {**table, **moments}, where)


def _where(path: Path, number: int, table: Mapping[str, Any]) -> str:
    name = table.get("name")
    known = f" ({name!r:.60})" if isinstance(name, str) else ""
    return f"{path}, [[watched]] number {number}{known}"


def _refuse_unknown(table: Mapping[str, Any], made: Any, where: str) -> None:  # noqa: ANN401 - a dataclass
    known = [field.name for field in fields(made)]
    for key in table:
        if key in known:
            continue
        if key in ("together", "apart"):
            raise ConfigError(
                f"{where}: {key} is of the whole file; move it above the first "
                "[[watched]]"
            )
        raise ConfigError(f"{where}: no key {key!r:.60}; known are: {', '.join(known)}")


def _moment(value: object, what: str, is_end: bool) -> datetime:
    """Return a date or time of TOML in UTC; the day of an end is of the timeline."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        day = datetime(value.year, value.month, value.day, tzinfo=UTC)
        try:
            return day + timedelta(days=1) if is_end else day
        except OverflowError as error:
            raise ConfigError(f"{what} is out of range: {value}") from error
    raise ConfigError(
        f"{what} must be a date or a time, got {value!r:.60}; write it without quotes, "
        "like 2024-03-04 or 2024-03-04T12:00:00Z"
    )


def _made(made: Callable[..., Whole], values: Mapping[str, Any], where: str) -> Whole:
    try:
        return made(**values)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error
