"""A database has one service, and one that was killed does not keep it."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pytest

from tests.postgres import PostgresServer
from tests.service.running import opened
from ustory.core.errors import StateError
from ustory.service.claim import claimed, watched
from ustory.store import Store
from ustory.store.claim import ClaimLost
from ustory.store.meta import get_meta, put_meta
from ustory.store.upkeep import backup, restore


def test_a_second_service_is_refused_in_words(url: str) -> None:
    with (
        opened(url) as store,
        opened(url) as other,
        claimed(store),
        pytest.raises(StateError, match="another ustory serve uses"),
        claimed(other, patience=0.3),
    ):
        pytest.fail("there are two")


def test_a_claim_that_is_given_up_soon_is_waited_for(postgres_url: str) -> None:
    with opened(postgres_url) as store, opened(postgres_url) as other:
        held = ExitStack()
        held.enter_context(claimed(store))
        pauses: list[float] = []

        def sleep(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 3:
                held.close()

        with claimed(other, sleep=sleep):
            assert len(pauses) == 3


def test_a_file_is_free_as_soon_as_its_process_is_gone(sqlite_url: str) -> None:
    def sleep(seconds: float) -> None:
        pytest.fail(f"it waited {seconds} s for a lock that nobody gives up")

    with opened(sqlite_url) as store, opened(sqlite_url) as other:
        with (
            claimed(store),
            pytest.raises(StateError),
            claimed(other, sleep=sleep),
        ):
            pass
        with claimed(other, sleep=sleep):
            pass


def linked(url: str, folder: Path, how: str) -> str:
    """Return another name of the same SQLite file."""
    file = Path(url.removeprefix("sqlite:///"))
    if how == "symlink":
        (folder / "other.db").symlink_to(file)
        return str(folder / "other.db")
    if how == "folder":
        (folder / "elsewhere").symlink_to(file.parent)
        return str(folder / "elsewhere" / file.name)
    return os.path.relpath(file)


@pytest.mark.parametrize("how", ["symlink", "folder", "relative"])
def test_a_file_has_one_service_however_it_is_named(
    sqlite_url: str, tmp_path: Path, how: str
) -> None:
    with opened(sqlite_url) as store, claimed(store):
        other = linked(sqlite_url, tmp_path, how)
        with (
            opened(other) as second,
            pytest.raises(StateError, match="another ustory serve uses"),
            claimed(second),
        ):
            pytest.fail("there are two")


def test_a_file_that_is_served_is_not_restored_through_a_link(
    sqlite_url: str, tmp_path: Path
) -> None:
    with opened(sqlite_url) as store:
        backup(store, tmp_path / "backup.db")
        with (
            claimed(store),
            opened(linked(sqlite_url, tmp_path, "symlink")) as other,
            pytest.raises(StateError, match="another ustory serve uses"),
        ):
            restore(tmp_path / "backup.db", other)


def test_a_file_with_two_names_is_refused_in_words(
    sqlite_url: str, tmp_path: Path
) -> None:
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    (tmp_path / "second.db").hardlink_to(file)
    with (
        opened(sqlite_url) as store,
        pytest.raises(StateError, match=r"2 names \(hard links\).*remove the other"),
        claimed(store),
    ):
        pytest.fail("it was claimed")


def test_a_file_that_is_replaced_while_it_is_served_is_not_written_to(
    sqlite_url: str, tmp_path: Path
) -> None:
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    with opened(sqlite_url) as store, claimed(store):
        file.rename(tmp_path / "moved.db")
        file.write_bytes((tmp_path / "moved.db").read_bytes())
        with pytest.raises(ClaimLost, match="moved or replaced"), store.write():
            pytest.fail("it was written to")


def test_a_claim_whose_file_was_removed_is_taken_again(sqlite_url: str) -> None:
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    with opened(sqlite_url) as store, opened(sqlite_url) as other, claimed(store):
        file.with_name(f"{file.name}-serving").unlink()
        written(store)
        with pytest.raises(StateError, match="another ustory serve"), claimed(other):
            pytest.fail("there are two")


def test_a_claim_that_another_took_ends_the_first(sqlite_url: str) -> None:
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    with opened(sqlite_url) as store, opened(sqlite_url) as other, claimed(store):
        file.with_name(f"{file.name}-serving").unlink()
        with claimed(other):
            with pytest.raises(ClaimLost, match="has taken"), store.write():
                pytest.fail("both write")
            written(other)


def written(store: Store) -> None:
    """Write something, and see that it is there."""
    with store.write() as connection:
        put_meta(connection, "test", 7)
    with store.read() as connection:
        assert get_meta(connection, "test", 0) == 7


def restarted(postgres: PostgresServer) -> None:
    """Stop the server as a machine that goes down, and start it again."""
    postgres.stop()
    postgres.start()


def test_a_server_that_restarts_gives_the_claim_to_one_service_alone(
    postgres_url: str, postgres: PostgresServer
) -> None:
    with opened(postgres_url) as store, opened(postgres_url) as other, claimed(store):
        restarted(postgres)
        with claimed(other):
            written(other)
            with pytest.raises(ClaimLost, match="has taken"), store.write():
                pytest.fail("both write")
            written(other)


def test_a_claim_is_taken_again_after_its_server_restarted(
    postgres_url: str, postgres: PostgresServer
) -> None:
    with opened(postgres_url) as store, opened(postgres_url) as other, claimed(store):
        restarted(postgres)
        written(store)
        with (
            pytest.raises(StateError, match="another ustory serve uses"),
            claimed(other, patience=0.3),
        ):
            pytest.fail("there are two")


def test_a_service_that_lost_its_claim_is_told_even_if_it_writes_nothing(
    postgres_url: str, postgres: PostgresServer
) -> None:
    gone = Event()
    with opened(postgres_url) as store, opened(postgres_url) as other, claimed(store):
        restarted(postgres)
        with claimed(other), watched(store, gone.set, pause=0.05) as held:
            assert gone.wait(10)
        with pytest.raises(StateError, match="has taken"):
            held.check()


def test_a_claim_is_kept_while_its_server_is_away(
    postgres_url: str, postgres: PostgresServer
) -> None:
    gone = Event()
    with (
        opened(postgres_url) as store,
        claimed(store),
        watched(store, gone.set, pause=0.05) as held,
    ):
        postgres.stop()
        try:
            assert not gone.wait(0.5)
        finally:
            postgres.start()
        written(store)
        assert not gone.is_set()
    held.check()
