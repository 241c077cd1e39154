"""Errors of the database: it cannot be used now, or it is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError as DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from ustory.core.errors import StateError


class Unavailable(StateError):  # noqa: N818 - it says what the database is
    """The database cannot be used now; the same call may succeed later.

    `reason` is `full` (no room on the disk), `gone` (it cannot be reached), `busy`
    (another writer held it for too long) or `refused` (it may not be read or written).
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


_WORDS = {
    "full": "has no room left on its disk; nothing was written: free some space",
    "gone": "cannot be reached; see that it runs and that its address is right",
    "busy": "was held by another writer for too long; try again",
    "refused": "may not be read or written by this user; change its permissions",
}
_SQLITE = {
    "SQLITE_FULL": "full",
    "SQLITE_IOERR": "gone",
    "SQLITE_CANTOPEN": "gone",
    "SQLITE_BUSY": "busy",
    "SQLITE_LOCKED": "busy",
    "SQLITE_READONLY": "refused",
    "SQLITE_PERM": "refused",
    "SQLITE_AUTH": "refused",
}
_POSTGRES = {
    "53": "full",
    "08": "gone",
    "57": "gone",
    "58": "gone",
    "40": "busy",
    "55": "busy",
    "28": "refused",
    "42501": "refused",
    "25006": "refused",
    "3D000": "gone",
    "53300": "busy",
}
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "XX001", "XX002")


@contextmanager
def in_words(url: str) -> Iterator[None]:
    """Turn driver errors about the database itself into messages that name it.

    Errors about a statement are ours and pass through unchanged.
    """
    try:
        yield
    except PoolTimeoutError as error:
        raise _unavailable("busy", url, error) from error
    except (DBAPIError, sqlite3.Error) as error:
        if _code_of(error).startswith(_DAMAGED):
            raise StateError(
                f"the database {url} is damaged ({_said_by(error)}); "
                "put a backup in its place with `ustory db restore`"
            ) from error
        reason = reason_of(error)
        if reason is None:
            raise
        raise _unavailable(reason, url, error) from error


def reason_of(error: DBAPIError | sqlite3.Error) -> str | None:
    """Return why the database cannot be used, None if the statement is at fault."""
    code = _code_of(error)
    if code.startswith("SQLITE"):
        return _SQLITE.get("_".join(code.split("_")[:2]))
    if code:
        return _POSTGRES.get(code) or _POSTGRES.get(code[:2])
    # psycopg gives no code to a connection that was never made, or broke
    given = _given_by(error)
    operational = type(given).__name__ in ("OperationalError", "InterfaceError")
    broken = getattr(error, "connection_invalidated", False)
    return "gone" if broken or operational else None


def _given_by(error: BaseException) -> BaseException:
    return getattr(error, "orig", None) or error


def _code_of(error: DBAPIError | sqlite3.Error) -> str:
    for name in ("sqlite_errorname", "sqlstate"):
        code = getattr(_given_by(error), name, None)
        if code:
            return str(code)
    return ""


def _said_by(error: BaseException) -> str:
    said = str(_given_by(error)).strip()
    return said.splitlines()[0] if said else type(error).__name__


def _unavailable(reason: str, url: str, error: BaseException) -> Unavailable:
    said = _said_by(error)
    return Unavailable(reason, f"the database {url} {_WORDS[reason]} ({said})")
