"""Bad input through the command: one clear line, or counted and passed over."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import FAST, Records, Ustory, write_lines

GOOD = b'{"id": "good", "date": "2024-03-04", "title": "A good article"}\n'

CASES = {
    "broken-json": (b'{"id": "b", \n', "the line is not JSON"),
    "not-utf8": (b'{"title": "\xff"}\n', "the bytes are not UTF-8 from byte 12 on"),
    "missing-date": (b'{"title": "No date"}\n', "there is no publication date"),
    "bad-date": (b'{"date": "2024-02-30", "title": "T"}\n', "'2024-02-30'"),
    "no-text": (b'{"date": "2024-03-04"}\n', "has neither"),
    "duplicate-id": (GOOD, "the id 'good' was read before"),
    "not-an-object": (b'["a", "list"]\n', "must hold a JSON object; got a list"),
    "future-date": (b'{"date": "2999-01-01", "title": "T"}\n', "2999-01-01"),
    "bad-field": (b'{"date": "2024-03-04", "title": ["T"]}\n', "must be text"),
    "too-large": (
        b'{"date": "2024-03-04", "text": "%s"}\n' % (b"word " * 2_000_000),
        "a line may have 4,194,304 bytes",
    ),
}


@pytest.mark.parametrize("kind", CASES)
def test_a_bad_record_stops_with_one_line_naming_file_line_and_reason(
    kind: str, ustory: Ustory
) -> None:
    line, reason = CASES[kind]
    Path("news.jsonl").write_bytes(GOOD + line + GOOD)

    result = ustory("discover", "news.jsonl", *FAST)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("Error: news.jsonl, line 2: ")
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("kind", CASES)
def test_a_bad_record_is_skipped_counted_and_shown(kind: str, ustory: Ustory) -> None:
    line, reason = CASES[kind]
    last = b'{"id": "last", "date": "2024-03-05", "title": "The last article"}\n'
    Path("news.jsonl").write_bytes(GOOD + line + line + last)
    flags = (*FAST, "--on-error", "skip")

    shown = ustory("discover", "news.jsonl", *flags)
    found = json.loads(ustory("discover", "news.jsonl", *flags, "--json").stdout)

    assert shown.exit_code == 0
    (line_shown,) = [x for x in shown.stdout.splitlines() if x.startswith("skipped")]
    assert line_shown.startswith(f"skipped 2 {kind} (")
    assert "first: news.jsonl, line 2: " in line_shown
    assert reason in line_shown
    assert found["skipped"] == {kind: 2}
    assert found["articles"] == 2


@pytest.mark.parametrize("data", [b"", b"\n\n"])
def test_an_empty_file_is_a_problem_of_the_file(data: bytes, ustory: Ustory) -> None:
    Path("empty.jsonl").write_bytes(data)

    stopped = ustory("discover", "empty.jsonl", *FAST)
    skipped = ustory("discover", "empty.jsonl", *FAST, "--on-error", "skip")

    assert stopped.exit_code == 1
    assert stopped.stderr.startswith("Error: empty.jsonl: the file holds no article")
    assert skipped.exit_code == 0
    assert "0 stories; 0 articles" in skipped.stdout
    assert "skipped 1 empty-file" in skipped.stdout


def test_one_endless_sentence_is_an_article_like_any_other(
    ustory: Ustory, news: Records
) -> None:
    endless = {**news[0], "id": "endless", "text": "quake and " * 90_000}
    write_lines(Path("news.jsonl"), [endless, *news[:10]])

    result = ustory("discover", "news.jsonl", *FAST, "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["articles"] == 11


def test_many_bad_records_are_one_line_per_kind(ustory: Ustory, news: Records) -> None:
    bad = [["list"], {"title": "no date"}] * 50
    write_lines(Path("news.jsonl"), [*news[:10], *bad, *news[10:20]])

    result = ustory("discover", "news.jsonl", *FAST, "--on-error", "skip")

    assert result.stdout.count("skipped ") == 2
    assert "skipped 50 not-an-object" in result.stdout
    assert "skipped 50 missing-date" in result.stdout


def test_a_duplicate_in_a_window_by_number_is_found_however_old_it_is(
    ustory: Ustory, news: Records
) -> None:
    again = {**news[3], "published_at": "2024-05-01"}
    write_lines(Path("news.jsonl"), [*news[:30], again])
    flags = ("--encoder", "tiny", "--window", 40, "--slide", 10)

    stopped = ustory("discover", "news.jsonl", *flags)
    skipped = ustory("discover", "news.jsonl", *flags, "--on-error", "skip", "--json")

    assert stopped.stderr.startswith("Error: news.jsonl, line 31: the id ")
    assert json.loads(skipped.stdout)["skipped"] == {"duplicate-id": 1}


def test_an_id_may_come_again_once_it_has_left_the_window(
    ustory: Ustory, news: Records
) -> None:
    again = {**news[3], "published_at": "2024-05-01"}
    write_lines(Path("news.jsonl"), [*news[:30], again])

    assert ustory("discover", "news.jsonl", *FAST).exit_code == 0


def test_there_is_no_traceback_outside_the_tests_either(tmp_path: Path) -> None:
    path = tmp_path / "news.jsonl"
    path.write_bytes(GOOD + b"{\n")
    command = [sys.executable, "-c", "from ustory.cli.main import cli; cli()"]

    done = subprocess.run(
        [*command, "discover", str(path), *FAST], capture_output=True, text=True
    )

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"Error: {path}, line 2: the line is not JSON")
    assert done.stderr.count("\n") == 1
