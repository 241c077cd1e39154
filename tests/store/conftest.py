"""The same tests on both databases: each test has its own, new and migrated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import PostgresServer
from ustory.store import Store


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the address of a new database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'archive.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    address = server.migrated()
    yield address
    server.give_back(address)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """Return a new database, opened."""
    opened = Store.open(url)
    yield opened
    opened.close()


@pytest.fixture
def other_url(
    url: str, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[str]:
    """Return the address of a new database of the other kind."""
    server: PostgresServer = request.getfixturevalue("postgres")
    if url.startswith("postgresql"):
        yield f"sqlite:///{tmp_path / 'other.db'}"
        return
    address = server.migrated()
    yield address
    server.give_back(address)


@pytest.fixture
def other(other_url: str) -> Iterator[Store]:
    """Return a new database of the other kind, opened."""
    opened = Store.open(other_url)
    yield opened
    opened.close()
