"""An upgrade that is killed at any statement leaves the old schema or the new one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.releases.databases import found
from tests.releases.kept import UPGRADED, Kept, name_of
from tests.releases.test_release_schemas import contents, schema_of
from tests.service.running import opened
from ustory.store.migrate import newest_revision
from ustory.store.upkeep import check

ROOT = Path(__file__).parents[2]


LINKS = [each for each in UPGRADED if each.mode == "links"]
"""The schema is the same in both modes, and a database takes a minute."""


@pytest.mark.parametrize("kept", LINKS, ids=name_of)
def test_an_upgrade_killed_at_any_statement_is_done_or_not(
    url: str, kept: Kept, tmp_path: Path
) -> None:
    before, schema = contents(url), schema_of(url)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.releases.upgrading", url],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        kills = 0
        while (said := process.stdout.readline().strip()) == "killed":
            kills += 1
            if schema_of(url) == schema:
                assert contents(url) == before
            else:
                assert schema_of(url) == newest_revision()
            process.stdin.write("again\n")
            process.stdin.flush()
    assert said == "ended 0"
    assert kills > 10
    with opened(url) as store:
        assert found(store)["articles"] == kept.said["articles"]
        assert check(store) == []
    assert not list(tmp_path.glob("*.part"))
