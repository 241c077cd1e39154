"""A file that lost all its bytes is not begun anew without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.builders import fill
from ustory.core.errors import StateError
from ustory.store import Store


@pytest.mark.parametrize("left", ["-wal", "-shm", "-serving"])
def test_an_archive_that_was_cut_to_nothing_is_refused(
    tmp_path: Path, left: str
) -> None:
    file = tmp_path / "a.db"
    store = Store.open(str(file))
    fill(store, slides=1)
    with store.lock():
        pass
    store.close()
    for end in {"-wal", "-shm", "-serving"} - {left}:
        (tmp_path / f"a.db{end}").unlink(missing_ok=True)
    (tmp_path / f"a.db{left}").touch()
    file.write_bytes(b"")
    with pytest.raises(StateError, match=r"was an archive before.*ustory db restore"):
        Store.open(str(file))
    assert file.stat().st_size == 0


def test_an_archive_that_was_served_is_known_after_a_clean_stop(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    store = Store.open(str(file))
    with store.lock():
        fill(store, slides=1)
    store.close()
    file.write_bytes(b"")
    (tmp_path / "link.db").symlink_to(file)
    for name in ("a.db", "link.db"):
        with pytest.raises(StateError, match="is empty"):
            Store.open(str(tmp_path / name))


def test_an_empty_file_that_was_never_one_is_begun(tmp_path: Path) -> None:
    file = tmp_path / "new.db"
    file.touch()
    Store.open(str(file)).close()
    assert file.stat().st_size > 0
