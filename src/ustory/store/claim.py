"""One serving process per database, however it is named: a claim that is kept.

A claim ends with its process. It can also be lost while the process runs: a server
that restarts forgets it, and a file can be moved away. So it is made sure of before
every transaction that writes, and taken again where it is free.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from ustory.core.errors import StateError
from ustory.store.address import file_of, spoken
from ustory.store.errors import Unavailable, in_words

SERVING = 0x7573746F727A
"""The key of the lock that a service holds on PostgreSQL."""
_ATTEMPTS = 11
_PAUSE = 0.1


class ClaimLost(Unavailable):
    """The database is another's now: this process may not write to it any more."""

    def __init__(self, message: str) -> None:
        super().__init__("taken", message)


class Claim(Protocol):
    """What a process holds while the database is its own."""

    def assure(self) -> None:
        """Return while the claim is held, taken again if need be; else ClaimLost."""
        ...


@contextmanager
def claimed(engine: Engine) -> Iterator[Claim]:
    """Hold the database's one claim; StateError where another process holds it."""
    file = file_of(engine.url)
    claim = _ServerClaim(engine) if file is None else _FileClaim(file)
    claim.take()
    try:
        yield claim
    finally:
        claim.release()


def is_served(engine: Engine) -> bool:
    """Return whether a process holds the database's claim; nothing is written."""
    file = file_of(engine.url)
    if file is None:
        query = text(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND "
            "(classid::bigint << 32) + objid::bigint = :key AND database = "
            "(SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        with in_words(spoken(engine.url)), engine.connect() as connection:
            return bool(connection.execute(query, {"key": SERVING}).scalar_one())
    here = file.resolve()
    beside = here.with_name(f"{here.name}-serving")
    if not beside.exists():
        return False
    address = f"{beside.as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=0)) as found:
        try:
            found.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            return error.sqlite_errorname == "SQLITE_BUSY"
    return False


class _FileClaim:
    """The claim of a SQLite file. Mutable, for any thread.

    It is beside the file itself, not beside a link to it, and is a second, empty
    database: its exclusive lock works on every system, and the system itself lets go
    of it when the process is killed.
    """

    def __init__(self, file: Path) -> None:
        self._name = str(file)
        self._file = file.resolve()
        self._beside = self._file.with_name(self._file.name + "-serving")
        self._turn = Lock()
        self._held: sqlite3.Connection | None = None
        self._known: tuple[object, object] | None = None

    def take(self) -> None:
        """Take the claim; StateError where another process holds it."""
        _refuse_links(self._file)
        # it may be let go of by another thread than the one that took it
        connection = sqlite3.connect(
            self._beside, timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorname != "SQLITE_BUSY":
                raise StateError(
                    f"{self._beside} cannot be written ({error}); see that its "
                    "folder can"
                ) from error
            raise _taken(self._name) from error
        self._held = connection
        self._known = _identity(self._file), _identity(self._beside)

    def assure(self) -> None:
        """Return while both files are those that were claimed."""
        with self._turn:
            if self._known == (_identity(self._file), _identity(self._beside)):
                return
            if self._known is None or self._known[0] != _identity(self._file):
                raise ClaimLost(
                    f"{self._name} was moved or replaced while it was served; put "
                    "the file back, or start again with the new one"
                )
            try:  # only the claim was removed: it may be free
                self.release()
                self.take()
            except StateError as error:
                raise _lost(self._name) from error

    def release(self) -> None:
        """Let go of the claim."""
        held, self._held = self._held, None
        if held is not None:
            held.close()


class _ServerClaim:
    """The claim of a PostgreSQL database: a lock of one session. Mutable."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._name = spoken(engine.url)
        self._turn = Lock()
        self._session: Connection | None = None

    def take(self) -> None:
        """Take the claim; StateError where another process holds it."""
        with in_words(self._name):
            connection = self._engine.connect()
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.detach()
            if not _locked(connection):
                connection.close()
                raise _taken(self._name)
        self._session = connection

    def assure(self) -> None:
        """Return while the session lives, or after it was begun again."""
        with self._turn:
            if self._lives():
                return
            self._drop()
            try:
                self.take()
            except Unavailable:
                raise
            except StateError as error:
                raise _lost(self._name) from error

    def release(self) -> None:
        """Let go of the claim at once, not when the server sees that we have gone."""
        if self._session is not None:
            with suppress(DBAPIError):
                self._session.execute(text("SELECT pg_advisory_unlock_all()"))
        self._drop()

    def _lives(self) -> bool:
        if self._session is None:
            return False
        try:
            self._session.execute(text("SELECT 1"))
        except DBAPIError:
            return False
        return True

    def _drop(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with suppress(DBAPIError):
                session.close()


def _locked(connection: Connection) -> bool:
    """Return whether the claim is ours; that of a killed process may take a moment."""
    lock = text("SELECT pg_try_advisory_lock(:key)")
    for attempt in range(_ATTEMPTS):
        if connection.execute(lock, {"key": SERVING}).scalar_one():
            return True
        if attempt + 1 < _ATTEMPTS:
            time.sleep(_PAUSE)
    return False


def _identity(file: Path) -> tuple[int, int] | None:
    """Return what a file is, whatever it is called; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _refuse_links(file: Path) -> None:
    """Refuse a file with two names: each would have a claim and a journal."""
    if file.is_file() and file.stat().st_nlink > 1:
        raise StateError(
            f"{file} has {file.stat().st_nlink} names (hard links), so two services "
            "could write to it at once and spoil it; make a copy with `ustory db "
            "backup` and use that, or remove the other names"
        )


def _taken(where: str) -> StateError:
    return StateError(
        f"another ustory serve uses {where}; stop it first, or give this one a "
        "database of its own"
    )


def _lost(where: str) -> ClaimLost:
    return ClaimLost(
        f"another ustory serve has taken {where} meanwhile; this one stops, so that "
        "not both write to it"
    )
