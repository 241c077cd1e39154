"""What holds secrets can be read by its owner alone, however the umask is set."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.builders import START
from ustory.store import Store
from ustory.store.feeds import put_cursor
from ustory.store.upkeep import archive, backup


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0o000)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_database_and_what_lies_beside_it_are_its_owners(tmp_path: Path) -> None:
    store = Store.open(str(tmp_path / "a.db"))
    with store.write() as connection:
        put_cursor(connection, "a", "1", START)
    modes = {path.name: _mode(path) for path in tmp_path.iterdir()}
    store.close()

    assert set(modes) >= {"a.db", "a.db-wal", "a.db-shm"}
    assert set(modes.values()) == {0o600}


def test_backups_and_archives_are_their_owners(tmp_path: Path) -> None:
    store = Store.open(str(tmp_path / "a.db"))
    backup(store, tmp_path / "backup.db")
    archive(store, tmp_path / "archive.gz")
    store.close()

    assert _mode(tmp_path / "backup.db") == 0o600
    assert _mode(tmp_path / "archive.gz") == 0o600


def test_an_older_database_is_closed_to_others_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.db"
    Store.open(str(path)).close()
    path.chmod(0o644)
    Store.open(str(path)).close()
    said = [record.getMessage() for record in caplog.records]
    caplog.clear()
    Store.open(str(path)).close()

    assert _mode(path) == 0o600
    assert any(f"{path} could be read by others (mode 644)" in each for each in said)
    assert not caplog.records
