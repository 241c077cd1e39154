"""Databases of every release get today's schema and lose nothing, and go back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import create_engine, inspect, text

from tests.postgres import PostgresServer
from tests.releases.databases import found
from tests.releases.kept import UPGRADED, Kept, name_of
from tests.service.running import opened
from ustory.core.errors import StateError
from ustory.store import Store
from ustory.store.address import parse_address
from ustory.store.claim import claimed
from ustory.store.epochs import all_epochs
from ustory.store.migrate import downgrade, newest_revision, revision
from ustory.store.upkeep import archive, check, restore


def contents(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables, whatever the schema is."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        names = [n for n in inspect(connection).get_table_names() if "search" not in n]
        tables = {
            name: sorted(
                (
                    tuple(row)
                    for row in connection.execute(text(f'SELECT * FROM "{name}"'))
                ),
                key=repr,
            )
            for name in names
        }
    engine.dispose()
    return tables


def schema_of(url: str) -> str | None:
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        current = revision(connection)
    engine.dispose()
    return current


def test_a_database_of_a_release_is_opened_and_says_what_it_said(
    url: str, kept: Kept
) -> None:
    with opened(url) as store:
        said = found(store)
        assert said["articles"] == kept.said["articles"]
        assert said["stories"] == kept.said["stories"]
        assert check(store) == []
        with store.read() as connection:
            assert revision(connection) == newest_revision()
            assert [each.reason for each in all_epochs(connection)] == ["begin"]


@pytest.mark.parametrize("kept", UPGRADED, ids=name_of)
def test_a_backup_is_written_before_the_schema_changes(url: str, kept: Kept) -> None:
    before, schema = contents(url), schema_of(url)
    with opened(url) as store:
        assert store.backed_up is not None
        assert store.backed_up.name.endswith(f".{schema}.backup")
        where = store.backed_up
    if kept.database == "sqlite":
        copy = where.with_name("copy.db")
        shutil.copy(where, copy)
        assert contents(f"sqlite:///{copy}") == before
    with opened(url) as store:
        assert store.backed_up is None
        after = found(store)
        restore(where, store)
        assert found(store) == after
        assert check(store) == []


def test_no_backup_is_written_where_none_is_wanted(url: str, tmp_path: Path) -> None:
    Store.open(url, backup=False).close()
    assert not list(tmp_path.glob("*.backup*"))


class Usage(NamedTuple):
    """What the system says of a disk."""

    free: int


@pytest.mark.parametrize("kept", UPGRADED, ids=name_of)
def test_without_room_for_the_backup_nothing_changes(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(url)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1000))
    with pytest.raises(
        StateError, match=r"make room, or upgrade without .*--no-backup"
    ):
        Store.open(url)
    assert contents(url) == before


@pytest.mark.parametrize("kept", UPGRADED, ids=name_of)
def test_while_it_is_served_a_database_keeps_its_schema(url: str) -> None:
    before = contents(url)
    served = create_engine(parse_address(url))
    with claimed(served), pytest.raises(StateError, match="another ustory serve"):
        Store.open(url)
    served.dispose()
    assert contents(url) == before


def test_a_database_goes_back_to_the_schema_that_it_had(url: str) -> None:
    before, schema = contents(url), schema_of(url)
    assert schema is not None
    with opened(url) as store:
        downgrade(store, schema)
    assert contents(url) == before
    with opened(url) as store:
        assert check(store) == []


def test_every_migration_can_be_undone_and_done_again(url: str) -> None:
    with opened(url) as store:
        wanted = found(store)
        for schema in ("0004", "0003"):
            # words that stories are found by are all there, the search is made again
            downgrade(store, schema)
            again = Store.open(url, backup=False)
            assert found(again) == wanted
            assert check(again) == []
            again.close()
        for schema in ("0002", "0001"):
            downgrade(store, schema)
        Store.open(url, backup=False).close()
        with store.read() as connection:
            assert revision(connection) == newest_revision()


def test_an_unknown_schema_is_not_gone_back_to(url: str) -> None:
    with opened(url) as store, pytest.raises(StateError, match="there is no schema x"):
        downgrade(store, "x")


def test_an_archive_of_an_older_schema_goes_into_either_database(
    url: str, kept: Kept, postgres: PostgresServer, tmp_path: Path
) -> None:
    schema = schema_of(url)
    assert schema is not None
    file = tmp_path / "old.archive"
    with opened(url) as store:
        wanted = found(store)
        downgrade(store, schema)
        archive(store, file)
    other = postgres.empty() if kept.database == "sqlite" else f"{tmp_path}/other.db"
    with opened(other) as target:
        restore(file, target)
        assert found(target) == wanted
        assert check(target) == []
