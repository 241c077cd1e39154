"""Databases for tests: a SQLite file, and a real PostgreSQL server of our own."""

from __future__ import annotations

from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.postgres import PostgresServer
from ustory.store import Store

_number = count()


@cache
def _blank() -> bytes:
    """Return a new SQLite database, to be copied."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "blank.db"
        Store.open(str(path)).close()
        return path.read_bytes()


def new_sqlite(folder: Path) -> str:
    """Make a new SQLite database in a folder, and return its address."""
    path = folder / f"live-{next(_number)}.db"
    path.write_bytes(_blank())
    return f"sqlite:///{path}"


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """Return the address of a new SQLite database."""
    return new_sqlite(tmp_path)


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> str:
    """Return the address of a new database on the PostgreSQL server."""
    return postgres.migrated()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    """Return the address of a new database, once of each kind."""
    name = "sqlite_url" if request.param == "sqlite" else "postgres_url"
    found: str = request.getfixturevalue(name)
    return found
