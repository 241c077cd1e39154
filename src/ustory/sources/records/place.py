"""Where a record stands, and how a problem with it is worded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ustory.core.errors import InputError

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Place:
    """A file and a line in it, counted from 1; line 0 is the file as a whole."""

    file: str
    line: int

    def problem(self, kind: str, reason: str) -> InputError:
        """Return the error that says what is wrong here, for the caller to raise."""
        return InputError(kind, reason, file=self.file, line=self.line)


def shown(value: object) -> str:
    """Return a value as an error message quotes it: short, whatever it is.

    Lists and objects are only named, because writing out a deep one may fail.

    >>> shown("yesterday"), shown([1, 2]), shown(True)
    ("'yesterday'", 'a list', 'true')
    """
    if isinstance(value, str | bytes):
        return repr(value[:_SHOWN]) + ("…" if len(value) > _SHOWN else "")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if value.bit_length() < 200 else "a huge number"
    if value is None or isinstance(value, float):
        return "null" if value is None else repr(value)
    if isinstance(value, Mapping):
        return "an object"
    return f"a {type(value).__name__}"
