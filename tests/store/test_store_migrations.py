"""The migrations make exactly the tables the code speaks of, on both databases."""

from __future__ import annotations

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect

from tests.store.builders import START
from tests.store.databases import PostgresServer
from ustory.store import Store
from ustory.store.cursors import all_cursors, put_cursor
from ustory.store.migrate import newest_revision, revision
from ustory.store.schema import tables


def ours(thing: object, name: str | None, kind: str, *rest: object) -> bool:
    del thing, rest
    return not (kind == "table" and str(name).startswith("search_"))


def test_the_migrated_schema_is_that_of_the_code(store: Store) -> None:
    with store.read() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "include_object": ours}
        )
        assert compare_metadata(context, tables) == []


def test_every_index_has_the_columns_the_code_says(store: Store) -> None:
    found = inspect(store.engine)
    for table in tables.sorted_tables:
        there = {
            one["name"]: (one["column_names"], bool(one["unique"]))
            for one in found.get_indexes(table.name)
        }
        said = {
            index.name: ([column.name for column in index.columns], bool(index.unique))
            for index in table.indexes
        }
        assert there == said
        keys = found.get_pk_constraint(table.name)["constrained_columns"]
        assert keys == [column.name for column in table.primary_key]


def test_no_column_makes_its_own_numbers(store: Store) -> None:
    for table in tables.sorted_tables:
        for column in inspect(store.engine).get_columns(table.name):
            assert column["default"] is None, (table.name, column["name"])


def test_text_is_sorted_by_its_bytes(store: Store) -> None:
    names = ["b", "B", "a", "é", "Z", "_", "a b", "ab"]
    with store.write() as connection:
        for name in names:
            put_cursor(connection, name, "", START)
        assert list(all_cursors(connection)) == sorted(names, key=str.encode)


def test_an_empty_database_is_migrated_and_then_left_alone(
    postgres: PostgresServer,
) -> None:
    url = postgres.empty()
    for _ in range(2):
        store = Store.open(url)
        with store.read() as connection:
            assert revision(connection) == newest_revision()
        store.close()
