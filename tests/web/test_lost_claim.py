"""A service whose database was taken by another ends, and says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ustory.store import Store

_COMMAND = "from ustory.cli.main import cli; cli()"


def test_a_service_that_lost_its_database_stops_in_words(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    process = subprocess.Popen(
        [sys.executable, "-c", _COMMAND, "serve", "--database", str(file),
         "--port", "0", "--encoder", "tiny"],
        env={**os.environ, "USTORY_API_KEYS": "a-key-for-the-test-alone"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert " at http://" in process.stdout.readline()
        (tmp_path / "a.db-serving").unlink()
        store = Store.open(str(file))
        try:
            with store.lock():
                _, said = process.communicate(timeout=60)
        finally:
            store.close()
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 1
    assert "another ustory serve has taken" in said
