"""What `make release` writes is what later releases open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.releases import write
from tests.releases.databases import MODES, found, load_sqlite, write_sqlite
from tests.service.running import opened
from ustory.store.epochs import current_epoch
from ustory.store.upkeep import check


@pytest.mark.parametrize("mode", MODES)
def test_a_database_that_is_written_now_is_opened_as_it_is(
    tmp_path: Path, mode: str
) -> None:
    said = write_sqlite(tmp_path / "now.gz", mode)
    url = load_sqlite(tmp_path / "now.gz", tmp_path / "archive.db")
    with opened(url) as store:
        assert store.backed_up is None
        assert found(store) == said
        assert check(store) == []
        with store.read() as connection:
            epoch = current_epoch(connection)
        assert epoch is not None
        assert epoch.reason == "begin"


def test_the_files_of_a_release_are_written_once(tmp_path: Path) -> None:
    (tmp_path / "links.sqlite.gz").touch()
    with pytest.raises(SystemExit, match="raise the version"):
        write.write(tmp_path)
