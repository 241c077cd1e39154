"""A run is resumed with the files it was made from, however they are called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import FAST, Records, Ustory, write_lines

RESUMED = (*FAST, "--state", "state", "--events", "events", "--assignments", "out")


def test_a_file_overwritten_in_place_is_refused_and_nothing_is_touched(
    ustory: Ustory, news: Records
) -> None:
    write_lines(Path("today.jsonl"), news[:40])
    ustory("discover", "today.jsonl", *RESUMED)
    kept = {name: Path(name).read_bytes() for name in ("state", "events", "out")}
    write_lines(Path("today.jsonl"), news[40:])

    result = ustory("discover", "today.jsonl", *RESUMED)

    assert result.exit_code == 1
    assert result.stderr.startswith(
        "Error: today.jsonl, line 40: another article was read here before"
    )
    assert "start a new run with another --state" in result.stderr
    assert {name: Path(name).read_bytes() for name in kept} == kept


@pytest.mark.parametrize("count", [0, 20, 40, 60])
def test_other_lines_on_standard_input_are_refused(
    count: int, ustory: Ustory, news: Records
) -> None:
    lines = [json.dumps(record) + "\n" for record in news]
    ustory("discover", "-", *RESUMED, stdin="".join(lines[:40]))

    again = ustory("discover", "-", *RESUMED, stdin="".join(lines[:50]))
    other = ustory("discover", "-", *RESUMED, stdin="".join(lines[50 : 50 + count]))

    assert again.exit_code == 0, again.output
    assert other.exit_code == 1
    assert other.stderr.startswith("Error: stdin")
    assert "give the same lines again" in other.stderr


def test_the_next_day_may_come_in_a_file_of_its_own(
    ustory: Ustory, news: Records
) -> None:
    lines = "".join(json.dumps(record) + "\n" for record in news[:40])
    write_lines(Path("day2.jsonl"), news[40:])
    ustory("discover", "-", *RESUMED, stdin=lines)

    result = ustory("discover", "day2.jsonl", *RESUMED, "--json")

    assert json.loads(result.stdout)["articles"] == len(news)


def test_files_are_known_again_however_they_are_typed_and_from_anywhere(
    ustory: Ustory, news: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lines(Path("news2.jsonl"), news[:60])
    ustory("discover", "news2.jsonl", *RESUMED)
    first = Path("out").read_text()
    ustory(
        "discover", "./news2.jsonl", *FAST, "--state", "state", "--assignments", "./out"
    )
    assert Path("out").read_text() == first
    write_lines(Path("news2.jsonl"), news)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    result = ustory(
        "discover", tmp_path / "news2.jsonl", *FAST, "--state", "../state",
        "--assignments", "../elsewhere/../out", "--json",
    )  # fmt: skip

    assert json.loads(result.stdout)["articles"] == len(news)
    rows = (tmp_path / "out").read_text().splitlines()
    assert len(rows) == len(set(rows))


def test_no_late_double_reaches_the_engine(ustory: Ustory, news: Records) -> None:
    # Both are older than the window, and both in the slide that is open.
    late = {**news[0], "id": "late", "published_at": "2024-01-01"}
    write_lines(Path("news2.jsonl"), [*news[:60], late, late, *news[60:]])

    result = ustory("discover", "news2.jsonl", *FAST, "--on-error", "skip", "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["skipped"] == {"duplicate-id": 1}
    assert json.loads(result.stdout)["too_late"] == 1


@pytest.mark.parametrize("cut", [31, 40])
def test_a_double_in_a_window_by_number_is_found_after_a_resume(
    cut: int, ustory: Ustory, news: Records
) -> None:
    flags = ("--encoder", "tiny", "--window", 20, "--slide", 10, "--on-error", "skip")
    records = [{**each, "id": f"z{90 - n}"} for n, each in enumerate(news[:60])]
    records[52]["id"] = records[34]["id"]
    write_lines(Path("whole.jsonl"), records)
    write_lines(Path("part.jsonl"), records[:cut])
    whole = ustory("discover", "whole.jsonl", *flags, "--json")
    command = ("discover", "part.jsonl", *flags, "--state", "state", "--json")
    ustory(*command)
    write_lines(Path("part.jsonl"), records)

    part = ustory(*command)

    assert json.loads(part.stdout)["skipped"] == {"duplicate-id": 1}
    assert json.loads(whole.stdout)["skipped"] == {"duplicate-id": 1}


def test_articles_without_an_id_are_told_what_they_share(
    ustory: Ustory, news: Records
) -> None:
    plain = {"date": "2024-03-04", "title": "Bridge closed", "source": "Post"}
    write_lines(Path("news2.jsonl"), [plain, plain])

    result = ustory("discover", "news2.jsonl", *FAST)

    assert result.exit_code == 1
    assert "has no id, and the same source, title and text as" in result.stderr


def test_a_resumed_run_tells_its_own_stories_from_all(
    ustory: Ustory, news: Records
) -> None:
    command = ("discover", "growing.jsonl", *FAST, "--state", "state")
    write_lines(Path("growing.jsonl"), news[:80])
    ustory(*command)
    write_lines(Path("growing.jsonl"), news)
    ustory("discover", "growing.jsonl", *FAST, "--stories", "all.jsonl")

    told = ustory(*command)
    found = json.loads(ustory(*command, "--json").stdout)

    lines = Path("all.jsonl").read_text().splitlines()
    everything = len({json.loads(line)["id"] for line in lines})
    assert found["stories_in_all"] == everything
    assert found["stories_in_run"] == len(found["stories"]) < everything
    assert f"live or ended in this run ({everything} in all); " in told.stdout
