"""A look at a file says whether it is old news; nothing is read that would be lost."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ustory.service.first_look import MAX_LOOKED, FirstLook, look_at

NOW = datetime(2026, 11, 18, tzinfo=UTC)
WEEK = timedelta(days=7)
OLD, NEW = "2024-03-07", "2026-11-17"


def _lines(*dates: str | None) -> bytes:
    records = [
        {"id": str(number), "title": f"Title {number}"}
        | ({"date": date} if date else {})
        for number, date in enumerate(dates)
    ]
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def _looked(path: Path, content: bytes) -> FirstLook:
    path.write_bytes(content)
    found = look_at(str(path), NOW)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("dates", "old"),
    [
        ([OLD], True),
        ([OLD] * 500, True),
        ([NEW], False),
        ([], False),
        ([OLD, NEW], False),
        ([None, None], False),
        ([OLD, OLD, None], True),
        ([OLD, None, None], False),
        ([OLD, "1901-01-01"], False),
        ([OLD, OLD, "1970-01-01"], True),
        ([OLD] * 500 + [NEW], False),
    ],
)
def test_a_file_is_old_where_all_its_dates_are_and_most_have_one(
    tmp_path: Path, dates: list[str | None], old: bool
) -> None:
    found = _looked(tmp_path / "news.jsonl", _lines(*dates))
    assert found.is_old(WEEK, NOW) is old


def test_a_packed_file_is_judged_by_its_beginning(tmp_path: Path) -> None:
    found = _looked(tmp_path / "a.jsonl.gz", gzip.compress(_lines(OLD, OLD)))
    assert found.is_old(WEEK, NOW)
    assert found.year == 2024
    assert found.last == ()


def test_a_file_that_goes_on_until_now_begins_old(tmp_path: Path) -> None:
    found = _looked(tmp_path / "log.jsonl", _lines(*[OLD] * 200, *[NEW] * 200))
    assert not found.is_old(WEEK, NOW)
    assert found.begins_old(WEEK, NOW)
    assert len(found.first) == len(found.last) == MAX_LOOKED


def test_of_a_folder_the_first_and_the_last_file_count(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(_lines(*[OLD] * MAX_LOOKED))
    (tmp_path / ".hidden.jsonl").write_bytes(_lines(NEW))
    (tmp_path / "notes.txt").write_text(NEW, encoding="utf-8")
    folder = look_at(str(tmp_path), NOW)
    assert folder is not None
    assert folder.is_old(WEEK, NOW)

    (tmp_path / "2.jsonl").write_bytes(_lines(NEW))
    folder = look_at(str(tmp_path), NOW)
    assert folder is not None
    assert not folder.is_old(WEEK, NOW)


def test_bad_lines_are_passed_over(tmp_path: Path) -> None:
    noise = b'{"title": "cut of\n\xff\xfe\n[1, 2]\n'
    found = _looked(tmp_path / "a.jsonl", noise + _lines(OLD, OLD) + noise)
    assert found.is_old(WEEK, NOW)


def test_a_table_is_looked_at_too(tmp_path: Path) -> None:
    content = f"id,title,text,date\n1,One,Some words,{OLD}\n".encode()
    assert _looked(tmp_path / "news.csv", content).is_old(WEEK, NOW)


def test_a_file_that_cannot_be_read_has_no_dates(tmp_path: Path) -> None:
    found = _looked(tmp_path / "news.parquet", b"no table at all")
    assert (found.first, found.last) == ((), ())
    assert not found.is_old(WEEK, NOW)


@pytest.mark.parametrize(
    "where",
    ["-", "kafka://localhost/news", "https://news.example/rss", "nowhere.jsonl"],
)
def test_what_is_no_file_is_never_looked_at(
    where: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Unread(io.StringIO):
        def read(self, *_: object) -> str:
            raise AssertionError("the input was read")

        readline = read  # type: ignore[assignment]

    monkeypatch.setattr(sys, "stdin", Unread())
    monkeypatch.chdir(tmp_path)
    assert look_at(where, NOW) is None


def test_pipes_and_lists_of_feeds_are_not_looked_at(tmp_path: Path) -> None:
    pipe, feeds = tmp_path / "pipe", tmp_path / "feeds.opml"
    os.mkfifo(pipe)
    feeds.write_text("<opml><body/></opml>", encoding="utf-8")
    assert look_at(str(pipe), NOW) is None
    assert look_at(str(feeds), NOW) is None
