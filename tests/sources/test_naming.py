"""A file has one name, however its path was typed."""

import os
from pathlib import Path

import pytest

from ustory.core.errors import ConfigError
from ustory.sources import Problems, merge, open_source, seen_within
from ustory.sources.records.cursor import display_name, file_name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with a file in it."""
    home = (tmp_path / "home").resolve()
    home.mkdir()
    monkeypatch.chdir(home)
    (home / "news.jsonl").write_text("")
    (home / "linked").symlink_to(home)
    return home


@pytest.mark.parametrize(
    "typed", ["news.jsonl", "./news.jsonl", "../home/news.jsonl", "linked/news.jsonl"]
)
def test_a_file_in_this_folder_is_called_by_its_relative_path(
    typed: str, folder: Path
) -> None:
    assert display_name(typed) == "news.jsonl"
    assert display_name(str(folder / typed)) == "news.jsonl"


def test_a_file_elsewhere_is_called_by_its_whole_path(folder: Path) -> None:
    assert display_name("../other.jsonl") == str(folder.parent / "other.jsonl")
    assert file_name(Path("news.jsonl"), folder.parent) == "home/news.jsonl"


def test_a_pipe_keeps_the_name_it_was_given(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "to-pipe").symlink_to("pipe")

    assert display_name("-") == "stdin"
    assert display_name("to-pipe") == "to-pipe"


def test_one_file_under_two_spellings_is_given_twice(folder: Path) -> None:
    paths = ("news.jsonl", str(folder / "linked" / "news.jsonl"))
    sources = [open_source(path, Problems()) for path in paths]

    with pytest.raises(ConfigError, match=r"news\.jsonl is given 2 times"):
        merge(sources, {}, Problems(), seen_within(7, 1))
