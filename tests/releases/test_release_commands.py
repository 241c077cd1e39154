"""The commands that look after an archive, on those that releases left behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.releases.kept import UPGRADED, Kept, name_of
from ustory.cli.main import cli
from ustory.core.method import METHOD

SQLITE = [each for each in UPGRADED if each.database == "sqlite"]


def call(*words: str) -> Result:
    return CliRunner().invoke(cli, ["db", *words])


@pytest.mark.parametrize("kept", SQLITE, ids=name_of)
def test_an_archive_is_upgraded_computed_again_and_whole(
    url: str, kept: Kept, tmp_path: Path
) -> None:
    where = ("--database", url)
    done = call("upgrade", *where)
    assert done.exit_code == 0, done.output
    (backup,) = tmp_path.glob("*.backup")
    assert f"was backed up in {backup}" in done.output
    assert "has the newest schema" in done.output
    done = call("check", "--replay", *where)
    assert done.exit_code == 0, done.output
    if kept.method == METHOD:  # an archive of this method can be replayed as a whole
        assert "slides computed again" in done.output
        assert done.output.strip().endswith("is whole")
    else:
        assert f"version {kept.method} of the method" in done.output
    done = call("retell", "--no-progress", *where)
    assert done.exit_code == 0, done.output
    assert "keep their ids" in done.output
    again = call("retell", "--no-progress", "--from", "2024-03-08T00:00Z", *where)
    assert again.exit_code == 0, again.output
    done = call("check", "--replay", *where)
    assert done.exit_code == 0, done.output
    assert "they are of an earlier epoch" in done.output
    assert done.output.strip().endswith("is whole")


@pytest.mark.parametrize("kept", SQLITE[:1], ids=name_of)
def test_an_upgrade_without_a_backup_leaves_none(url: str, tmp_path: Path) -> None:
    done = call("upgrade", "--no-backup", "--database", url)
    assert done.exit_code == 0, done.output
    assert "backed up" not in done.output
    assert list(tmp_path.glob("*.backup")) == []


def test_a_time_that_is_none_is_refused_in_words(tmp_path: Path) -> None:
    done = call("retell", "--from", "Tuesday", "--database", str(tmp_path / "no.db"))
    assert done.exit_code == 1
    assert "--from takes a date" in done.output
