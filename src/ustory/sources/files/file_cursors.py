"""The cursor of a source of many files: how far each was read, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ustory.core.errors import ConfigError
from ustory.sources.files.growth import Mark

_FIELDS = 3


def write_marks(marks: Mapping[str, Mark]) -> str:
    """Return the marks of files as text.

    >>> write_marks({"a.jsonl": Mark(120, 2, "1f3a9c04d2b7")})
    '{"a.jsonl":[120,2,"1f3a9c04d2b7"]}'
    """
    table = {name: [m.offset, m.line, m.digest] for name, m in sorted(marks.items())}
    return json.dumps(table, separators=(",", ":"))


def read_marks(source: str, cursor: str | None) -> dict[str, Mark]:
    """Return the marks in a cursor of `source`; before the first file it is None."""
    try:
        table = {} if cursor is None else json.loads(cursor)
        return {name: _mark(value) for name, value in table.items()}
    except (ValueError, AttributeError, RecursionError):
        raise ConfigError(
            f"a cursor of {source} is a JSON object of files with an offset, a line "
            f'and a digest, like {{"a.jsonl":[120,2,"1f3a9c04d2b7"]}}; got '
            f"{str(cursor)[:60]!r}"
        ) from None


def _mark(value: object) -> Mark:
    if isinstance(value, list) and len(value) == _FIELDS:
        offset, line, digest = value
        numbers = type(offset) is int and type(line) is int
        if numbers and isinstance(digest, str) and min(offset, line) >= 0:
            return Mark(offset, line, digest)
    raise ValueError(value)
