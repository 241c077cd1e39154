from __future__ import annotations

import json
from pathlib import Path

import pytest

from ustory.cli.outputs import JsonLinesFile, check_writable
from ustory.core.errors import UStoryError


def test_a_new_file_is_emptied_and_grows_by_lines(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    file = JsonLinesFile(path)
    file.write([{"a": "é"}, {"a": None}])
    file.close()

    assert path.read_text(encoding="utf-8") == '{"a": "é"}\n{"a": null}\n'
    assert file.size == path.stat().st_size


def test_what_is_cut_off_can_be_written_anew(tmp_path: Path) -> None:
    file = JsonLinesFile(tmp_path / "out.jsonl")
    file.write([{"n": 1}])
    size = file.size
    file.write([{"n": 2}])
    file.cut(size)
    file.write([{"n": 3}])
    file.close()

    assert file.path.read_text() == '{"n": 1}\n{"n": 3}\n'


@pytest.mark.parametrize(("keep", "left"), [(0, ""), (2, "ab"), (99, "abcd")])
def test_going_on_keeps_what_is_known_and_no_more_than_there_is(
    keep: int, left: str, tmp_path: Path
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("abcd")
    file = JsonLinesFile(path, keep)
    file.write([{}])
    file.close()

    assert path.read_text() == left + "{}\n"
    assert file.size == len(left) + 3


def test_half_a_character_does_not_stop_a_run(tmp_path: Path) -> None:
    file = JsonLinesFile(tmp_path / "out.jsonl")
    file.write([{"headline": "half \ud83d"}])
    file.close()

    assert json.loads(file.path.read_bytes())["headline"] == "half ?"


def test_a_probe_of_a_path_leaves_nothing_behind(tmp_path: Path) -> None:
    check_writable(tmp_path / "new")
    (tmp_path / "old").write_text("kept")
    check_writable(tmp_path / "old")

    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_text() == "kept"
    with pytest.raises(UStoryError, match="cannot write"):
        check_writable(tmp_path)
