"""One writer at a time, all or nothing; readers see one moment; refusals in words."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.postgres import PostgresServer
from ustory.core.errors import ConfigError, StateError
from ustory.store import Store, Unavailable
from ustory.store.address import parse_address
from ustory.store.meta import get_meta, put_meta


def test_what_was_written_is_there_when_it_is_opened_again(url: str) -> None:
    first = Store.open(url)
    with first.write() as connection:
        put_meta(connection, "settings", {"slide": "15m", "window": 7})
    first.close()
    second = Store.open(url)
    with second.read() as connection:
        assert get_meta(connection, "settings") == {"slide": "15m", "window": 7}
    second.close()


def test_a_write_that_fails_leaves_nothing(store: Store) -> None:
    def stumble() -> None:
        with store.write() as connection:
            put_meta(connection, "half", 1)
            raise RuntimeError("on the way")

    with pytest.raises(RuntimeError, match="on the way"):
        stumble()
    with store.read() as connection:
        assert get_meta(connection, "half") is None


def test_a_reader_sees_one_moment_while_others_write(store: Store) -> None:
    with store.write() as connection:
        put_meta(connection, "count", 1)
    with store.read() as reading:
        assert get_meta(reading, "count") == 1
        with store.write() as writing:
            put_meta(writing, "count", 2)
        assert get_meta(reading, "count") == 1
    with store.read() as reading:
        assert get_meta(reading, "count") == 2


def test_writers_wait_for_one_another_and_lose_nothing(store: Store) -> None:
    with store.write() as connection:
        put_meta(connection, "count", 0)

    def add_ten() -> None:
        for _ in range(10):
            with store.write() as connection:
                put_meta(connection, "count", get_meta(connection, "count") + 1)

    threads = [threading.Thread(target=add_ten) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as connection:
        assert get_meta(connection, "count") == 40


def test_a_reader_cannot_write(store: Store) -> None:
    if store.is_sqlite:
        pytest.skip("SQLite has no transaction that may only read")
    with pytest.raises(Unavailable, match="may not be"), store.read() as connection:
        put_meta(connection, "count", 1)


def test_two_processes_cannot_serve_one_database(url: str) -> None:
    first, second = Store.open(url), Store.open(url)
    with (
        first.lock(),
        pytest.raises(StateError, match="another ustory serve uses"),
        second.lock(),
    ):
        pass
    with second.lock():
        pass
    first.close()
    second.close()


def test_the_claim_does_not_keep_others_from_reading_and_writing(url: str) -> None:
    first, second = Store.open(url), Store.open(url)
    with first.lock(), second.write() as connection:
        put_meta(connection, "count", 1)
    first.close()
    second.close()


def test_a_bare_path_is_a_sqlite_file(tmp_path: Path) -> None:
    store = Store.open(str(tmp_path / "plain.db"))
    assert store.is_sqlite
    assert (tmp_path / "plain.db").exists()
    with store.read() as connection:
        modes = [
            connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "busy_timeout")
        ]
    assert modes == ["wal", 2, 30_000]
    store.close()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "empty"),
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
        ("mysql://host/name", "mysql"),
        ("postgresql://host:notaport/name", "cannot be read"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_in_words(
    url: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        Store.open(url)


def test_a_password_is_never_shown() -> None:
    with pytest.raises(Unavailable) as caught:
        Store.open("postgresql://me:hidden-word@127.0.0.1:1/news?connect_timeout=2")
    assert caught.value.reason == "gone"
    assert "hidden-word" not in str(caught.value)
    assert "postgresql://me:***@127.0.0.1:1/news" in str(caught.value)
    assert parse_address("postgresql://me:hidden-word@host/news").password


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="its folder does not exist"):
        Store.open(str(tmp_path / "none" / "archive.db"))


def test_a_file_that_is_no_database_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "letter.db"
    path.write_bytes(b"Dear reader, this is not a database. " * 100)
    with pytest.raises(StateError, match="ustory db restore"):
        Store.open(str(path))


def test_a_newer_schema_is_refused_in_words(url: str) -> None:
    store = Store.open(url)
    with store.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(StateError, match="schema 9999, which is newer"):
        Store.open(url)


def test_a_full_disk_is_said_and_nothing_is_kept(tmp_path: Path) -> None:
    store = Store.open(str(tmp_path / "archive.db"))

    def fill_up() -> None:
        with store.write() as connection:
            put_meta(connection, "small", 1)
            pages = connection.execute(text("PRAGMA page_count")).scalar_one()
            connection.execute(text(f"PRAGMA max_page_count = {pages + 2}"))
            put_meta(connection, "large", "x" * 100_000)

    with pytest.raises(Unavailable, match="no room left") as caught:
        fill_up()
    assert caught.value.reason == "full"
    store.close()
    again = Store.open(str(tmp_path / "archive.db"))
    with again.write() as connection:
        assert get_meta(connection, "small") is None
        put_meta(connection, "large", "x" * 100_000)
    again.close()


def test_a_writer_who_never_lets_go_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ustory.store.database._BUSY_MS", 50)
    path = tmp_path / "archive.db"
    store = Store.open(str(path))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable) as caught, store.write():
        pass
    assert caught.value.reason == "busy"
    holder.close()
    with store.write() as connection:
        put_meta(connection, "count", 1)
    store.close()


def test_a_lost_connection_is_said_and_the_next_one_works(
    postgres: PostgresServer,
) -> None:
    url = postgres.migrated()
    store = Store.open(url)

    def lose() -> None:
        with store.write() as connection:
            put_meta(connection, "count", 1)
            pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
            postgres.run(f"SELECT pg_terminate_backend({pid})")
            put_meta(connection, "count", 2)

    with pytest.raises(Unavailable) as caught:
        lose()
    assert caught.value.reason == "gone"
    with store.read() as connection:
        assert get_meta(connection, "count") is None
    store.close()
    postgres.give_back(url)


def test_a_full_server_is_said(postgres: PostgresServer) -> None:
    url = postgres.migrated()
    store = Store.open(url)
    full = "DO $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$"
    with (
        pytest.raises(Unavailable, match="no room left") as caught,
        store.write() as connection,
    ):
        connection.execute(text(full))
    assert caught.value.reason == "full"
    store.close()
    postgres.give_back(url)


def test_an_error_of_ours_is_not_called_the_database(store: Store) -> None:
    with (
        pytest.raises(Exception, match="no_such_table") as caught,
        store.read() as connection,
    ):
        connection.execute(text("SELECT * FROM no_such_table"))
    assert not isinstance(caught.value, StateError)


@pytest.mark.parametrize("way", [Store.open, Store.look])
def test_an_error_does_not_say_the_values_that_were_sent(
    url: str, way: Callable[[str], Store]
) -> None:
    Store.open(url).close()
    opened = way(url)
    asked = text("SELECT * FROM nowhere WHERE secret = :secret")
    with pytest.raises(DBAPIError) as caught, opened.engine.connect() as connection:
        connection.execute(asked, {"secret": "hush-hush"})
    opened.close()

    assert "nowhere" in str(caught.value)
    assert "hush-hush" not in str(caught.value)
