"""One database, SQLite or PostgreSQL: one writer at a time, readers at any time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL

from ustory.core.errors import StateError
from ustory.store.address import (
    file_of,
    keep_own,
    parse_address,
    refuse_emptied,
    spoken,
)
from ustory.store.backup import back_up_before
from ustory.store.claim import Claim, claimed
from ustory.store.errors import in_words
from ustory.store.migrate import migrate

_WRITERS = 0x7573746F7279  # "ustory": writers queue behind this advisory lock
_BUSY_MS = 30_000


class Store:
    """An open database whose schema is the newest; safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.url = spoken(engine.url)
        """The address, without its password."""
        self._claim: Claim | None = None

        self.backed_up: Path | None = None
        """The backup that was written before the schema changed, where it did."""
        self.log_held = False
        """Whether SQLite's log could not be emptied after a withdrawal."""

    @classmethod
    def open(cls, url: str, *, backup: bool = True) -> Store:
        """Return the database at `url`, made or migrated where that is needed.

        Before a database gets another schema a backup is written, unless that is
        not wanted; while another process serves it, it keeps its schema.
        """
        address = parse_address(url)
        file = file_of(address)
        if file is not None and not file.absolute().parent.is_dir():
            raise StateError(
                f"the database {file} cannot be made: its folder does not exist; "
                "make the folder first"
            )
        if file is not None:
            refuse_emptied(file)
            keep_own(file)
        store = cls(_engine(address))
        try:
            migrate(store, partial(store._before_upgrade, backup))
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def look(cls, url: str) -> Store:
        """Return the database at `url` for reading alone, whatever its schema is.

        Nothing is made and nothing is migrated.
        """
        address = parse_address(url)
        file = file_of(address)
        if file is None:
            return cls(_engine(address))
        return cls(_reading_engine(address, file))

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite; PostgreSQL otherwise."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that may write: all of it is kept, or nothing.

        Writers, also of other processes, wait for one another.
        """
        with in_words(self.url), self.engine.connect() as plain:
            connection = plain.execution_options(ustory_write=True)
            with connection.begin():
                if not self.is_sqlite:
                    lock = text("SELECT pg_advisory_xact_lock(:key)")
                    connection.execute(lock, {"key": _WRITERS})
                self.assure()
                yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent view of the database, unaffected by concurrent writes."""
        options: dict[str, Any] = {}
        if not self.is_sqlite:
            options = {
                "isolation_level": "REPEATABLE READ",
                "postgresql_readonly": True,
            }
        with in_words(self.url), self.engine.connect() as plain:
            connection = plain.execution_options(**options)
            with connection.begin():
                yield connection

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Claim the database for this process; StateError where another has it.

        While it is held, every transaction that writes makes sure of it first.
        """
        with claimed(self.engine) as claim:
            self._claim = claim
            try:
                yield
            finally:
                self._claim = None

    def assure(self) -> None:
        """Raise ClaimLost where this process had claimed the database and lost it."""
        claim = self._claim
        if claim is not None:
            claim.assure()

    @contextmanager
    def _before_upgrade(self, backup: bool, schema: str) -> Iterator[None]:
        with self.lock():
            if backup:
                self.backed_up = back_up_before(self.engine, schema)
            yield

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _engine(url: URL) -> Engine:
    # errors are logged and shown: values, such as the secrets of webhooks, are not
    common: dict[str, Any] = {
        "pool_size": 10, "max_overflow": 20, "hide_parameters": True,
    }  # fmt: skip
    if url.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True, pool_timeout=30, **common)
    engine = create_engine(url, connect_args={"timeout": _BUSY_MS / 1000}, **common)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _reading_engine(address: URL, file: Path) -> Engine:
    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            f"{file.absolute().as_uri()}?mode=ro",
            uri=True,
            timeout=_BUSY_MS / 1000,
            isolation_level=None,
            check_same_thread=False,
        )

    engine = create_engine(address, creator=connect, pool_size=1, hide_parameters=True)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: object) -> None:  # noqa: ANN401 - a driver's own
    del record
    # transactions begin where we say: the driver would begin them at the first write
    connection.isolation_level = None
    for setting in (
        f"busy_timeout={_BUSY_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "cache_size=-32000",
        "secure_delete=ON",  # retention and edits delete as well, not withdrawals alone
    ):
        connection.execute(f"PRAGMA {setting}").close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("ustory_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
