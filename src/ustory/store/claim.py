"""One serving process per database: a claim that ends with the process."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from ustory.core.errors import StateError
from ustory.store.address import file_of, spoken
from ustory.store.errors import in_words

_SERVING = 0x7573746F727A
_ATTEMPTS = 11
_PAUSE = 0.1


def claimed(engine: Engine) -> AbstractContextManager[None]:
    """Hold the database's one claim; StateError where another process holds it."""
    file = file_of(engine.url)
    return _claim_file(file) if file else _claim_server(engine)


@contextmanager
def _claim_file(file: Path) -> Iterator[None]:
    # a second, empty database: its exclusive lock works on every system, and the
    # system itself lets go of it when the process is killed
    beside = file.with_name(file.name + "-serving")
    # it may be let go of by another thread than the one that took it
    made = sqlite3.connect(
        beside, timeout=0, isolation_level=None, check_same_thread=False
    )
    with closing(made) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY":
                raise StateError(
                    f"{beside} cannot be written ({error}); see that its folder can"
                ) from error
            raise _taken(str(file)) from error
        yield


@contextmanager
def _claim_server(engine: Engine) -> Iterator[None]:
    where = spoken(engine.url)
    with in_words(where):
        connection = engine.connect()
        connection = connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.detach()
    with connection:
        with in_words(where):
            if not _locked(connection):
                raise _taken(where)
        try:
            yield
        finally:
            # at once, and not when the server sees that the connection has ended
            with suppress(DBAPIError):
                connection.execute(text("SELECT pg_advisory_unlock_all()"))


def _locked(connection: Connection) -> bool:
    """Return whether the claim is ours; that of a killed process may take a moment."""
    lock = text("SELECT pg_try_advisory_lock(:key)")
    for attempt in range(_ATTEMPTS):
        if connection.execute(lock, {"key": _SERVING}).scalar_one():
            return True
        if attempt + 1 < _ATTEMPTS:
            time.sleep(_PAUSE)
    return False


def _taken(where: str) -> StateError:
    return StateError(
        f"another ustory serve uses {where}; stop it first, or give this one a "
        "database of its own"
    )
