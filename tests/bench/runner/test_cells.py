from __future__ import annotations

from pathlib import Path

import pytest

from ustory.core.errors import ConfigError
from ustory_bench.runner.cells import Cells


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


def test_a_place_that_cannot_be_written_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ConfigError, match="cannot write finished cells"):
        Cells(tmp_path / "file" / "cells.jsonl").add("one", {})
