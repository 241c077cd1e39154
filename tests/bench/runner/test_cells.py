from __future__ import annotations

from pathlib import Path

import pytest
from tests.bench.runner.rigged_system import ABSENT, RIGGED, stream

from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory_bench.runner.cells import Cells, cell_key


def test_a_finished_cell_is_found_again_by_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "cells.jsonl"
    Cells(path).add("one", {"score": 0.25})
    Cells(path).add("two", {"score": 0.5})

    found = Cells(path)

    assert (found.find("one"), found.find("two")) == ({"score": 0.25}, {"score": 0.5})
    assert found.find("three") is None
    assert len(found) == 2


def test_a_line_torn_by_an_interruption_costs_that_cell_only(tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    Cells(path).add("one", {"score": 0.25})
    whole = path.read_text(encoding="utf-8")
    Cells(path).add("two", {"score": 0.5})
    path.write_text(path.read_text(encoding="utf-8")[: len(whole) + 9], "utf-8")

    resumed = Cells(path)
    assert resumed.find("two") is None
    resumed.add("two", {"score": 0.75})

    found = Cells(path)
    assert found.find("one") == {"score": 0.25}
    assert found.find("two") == {"score": 0.75}


def test_a_key_changes_with_all_that_a_cell_depends_on() -> None:
    settings, there = Settings(mode="paper"), stream("a", "a" * 64)
    keys = {
        cell_key(RIGGED, there, settings, {}),
        cell_key(ABSENT, there, settings, {}),
        cell_key(RIGGED, there, settings, {"depth": 1}),
        cell_key(RIGGED, stream("b", "a" * 64), settings, {}),
        cell_key(RIGGED, stream("a", "b" * 64), settings, {}),
        cell_key(RIGGED, there, Settings(mode="paper", seed=1), {}),
    }

    assert len(keys) == 6
    assert cell_key(RIGGED, there, settings, {"depth": 0}) in keys


def test_a_place_that_cannot_be_written_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ConfigError, match="cannot write finished cells"):
        Cells(tmp_path / "file" / "cells.jsonl").add("one", {})
