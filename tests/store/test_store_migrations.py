"""The migrations make exactly the tables the code speaks of, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from alembic import op
from alembic.autogenerate import compare_metadata
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, select, update

from tests.postgres import PostgresServer
from tests.store.builders import START, fill
from ustory.store import Store
from ustory.store.feeds import put_cursor
from ustory.store.migrate import downgrade, migrate, newest_revision, revision
from ustory.store.migrations.versions import v0005_sorted_words, v0012_webhook_format
from ustory.store.reindex import rebuild_search
from ustory.store.tables import Watchlist, cursors, stories, story_keywords, tables
from ustory.store.upkeep import check
from ustory.store.watchlists import all_watchlists, put_watchlist


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
        query = select(cursors.c.source).order_by(cursors.c.source)
        found = list(connection.execute(query).scalars())
        assert found == sorted(names, key=str.encode)


def test_an_empty_database_is_migrated_and_then_left_alone(
    postgres: PostgresServer,
) -> None:
    url = postgres.empty()
    for _ in range(2):
        store = Store.open(url)
        with store.read() as connection:
            assert revision(connection) == newest_revision()
        store.close()


def test_words_of_older_schemas_say_how_their_stories_stand(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    with store.write() as connection:
        before = connection.execute(select(story_keywords)).all()
        context = MigrationContext.configure(connection)
        monkeypatch.setattr("alembic.op._proxy", Operations(context), raising=False)
        op.create_index("stories_lang", "stories", ["lang", "status"])
        for sort in ("heat", "recent", "size", "new"):
            op.drop_index(f"stories_lang_{sort}", "stories")
        connection.execute(update(stories).values(status="expired"))
        v0005_sorted_words.upgrade()
        after = connection.execute(select(story_keywords)).all()
        heat = connection.execute(select(stories.c.heat)).scalars().all()
        rebuild_search(connection)  # as after every upgrade from so far back
    assert [tuple(row) for row in after] == [
        (*row[:2], "expired", *row[3:]) for row in before
    ]
    assert set(heat) == {0.0}
    assert check(store) == []


def test_hooks_that_exist_keep_their_format_and_the_way_back_keeps_them(
    store: Store,
) -> None:
    given = [
        Watchlist(id="hook", name="é", created_at=START, webhook="https://a.example/"),
        Watchlist(id="none", name="b", created_at=START, keywords=("x",), active=False),
    ]
    with store.write() as connection:
        for row in given:
            put_watchlist(connection, row)
    downgrade(store, v0012_webhook_format.down_revision)
    with store.read() as connection:
        names = {one["name"] for one in inspect(connection).get_columns("watchlists")}
    migrate(store)
    with store.read() as connection:
        found = all_watchlists(connection)
    assert "webhook_format" not in names
    assert found == [replace(given[0], webhook_format="plain"), given[1]]
