"""Databases in which stories are computed again: what is left of them goes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.running import opened
from ustory.service.claim import claimed
from ustory.store.side import side_store
from ustory.store.withdraw import backups_beside, scrub

_KILLED = """
import os, signal, sys
from ustory.store import Store
from ustory.store.side import side_store
with side_store(Store.open(sys.argv[1])):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_beside(file: Path) -> None:
    """Have a process killed in the middle of it."""
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(file)],
        check=False,
        timeout=60,
        env=dict(os.environ),
    )
    assert done.returncode < 0


def folders(file: Path) -> list[Path]:
    return sorted(file.parent.glob("ustory-retell-*"))


@pytest.mark.parametrize("by", ["start", "withdrawal"])
def test_what_a_killed_run_has_left_is_removed(tmp_path: Path, by: str) -> None:
    file = tmp_path / "news.db"
    with opened(str(file)) as store:
        killed_beside(file)
        assert backups_beside(store) == folders(file) != []
        if by == "start":
            with claimed(store):
                assert folders(file) == []
        else:
            scrub(store)
        assert folders(file) == []


def test_what_is_in_use_or_may_be_of_another_archive_stays_and_is_named(
    tmp_path: Path,
) -> None:
    file = tmp_path / "news.db"
    unnamed = tmp_path / "ustory-retell-abcd1234"  # as older releases call it
    unnamed.mkdir()
    (unnamed / "side.db").write_bytes(b"")
    killed_beside(tmp_path / "other.db")
    with opened(str(file)) as store, side_store(store) as side:
        before = folders(file)
        assert len(before) == 3
        scrub(store)
        assert folders(file) == backups_beside(store) == before
        with side.write():
            pass
