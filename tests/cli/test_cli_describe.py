"""`ustory describe`, and data sets through the other commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import FAST, Records, Ustory, write_lines


@pytest.fixture
def newsfeed(news: Records, tmp_path: Path) -> Path:
    """Return the small stream as Newsfeed14 has its articles: a list, in no order."""
    entries = [
        {
            "id": record["id"],
            "date": record["published_at"].replace("T", " ").removesuffix("Z"),
            "lang": "eng",
            "title": record["title"],
            "text": record["text"],
            "cluster": record["story"],
        }
        for record in reversed(news)
    ]
    path = tmp_path / "dataset.test.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def described(ustory: Ustory, *arguments: object) -> dict[str, Any]:
    result = ustory("describe", *arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_row_of_table_1_and_what_makes_it_hard(
    ustory: Ustory, stream: Path, news: Records
) -> None:
    result = ustory("describe", stream)

    assert result.exit_code == 0, result.output
    titles, figures, _, _, *lines = result.stdout.splitlines()
    assert titles.split() == [
        "articles", "sentences", "per", "article", "stories", "articles", "per",
        "story", "articles", "per", "story", "and", "day",
    ]  # fmt: skip
    stories = {record["story"] for record in news}
    assert figures.split()[0] == str(len(news))
    assert figures.split()[2] == str(len(stories))
    assert float(figures.split()[3]) == round(len(news) / len(stories), 1)
    for name in ("calendar", "stories of one article", "near copies", "languages"):
        assert sum(line.startswith(name) for line in lines) == 1, name


def test_json_has_the_same_as_plain_values(
    ustory: Ustory, stream: Path, news: Records
) -> None:
    found = described(ustory, stream, "--min-articles", 3)

    assert found["row"]["articles"] == len(news)
    assert found["calendar"]["first"] == min(r["published_at"] for r in news)
    assert found["small_is_under"] == 3
    assert 0 < found["wording"]["beside"] < found["wording"]["within"] < 1
    assert found["notes"] == []
    assert found["skipped"] == {}


def test_several_files_are_one_stream(
    ustory: Ustory, news: Records, stream: Path, tmp_path: Path
) -> None:
    parts = [
        write_lines(tmp_path / f"{n}.jsonl", part)
        for n, part in enumerate((news[::2], news[1::2]))
    ]

    assert described(ustory, *parts)["row"] == described(ustory, stream)["row"]


def test_a_stream_without_labels_is_described_with_a_note(
    ustory: Ustory, news: Records, tmp_path: Path
) -> None:
    bare = [{k: v for k, v in r.items() if k != "story"} for r in news]
    path = write_lines(tmp_path / "bare.jsonl", bare)

    result = ustory("describe", path)

    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[1].split()[2:] == ["–", "–", "–"]
    assert "note: no article has a label" in result.stdout
    assert "stories of one article" not in result.stdout
    assert described(ustory, path)["lives"] is None


def test_one_story_only_is_described_with_a_note(
    ustory: Ustory, news: Records, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "one.jsonl", [{**r, "story": "s"} for r in news])

    assert described(ustory, path)["notes"] == [
        "there is one story only, and so no other to confuse it with"
    ]


def test_a_data_set_is_described_as_its_articles_are(
    ustory: Ustory, stream: Path, newsfeed: Path
) -> None:
    found, same = described(ustory, newsfeed), described(ustory, stream)

    assert found["row"] == same["row"]
    assert found["lives"] == same["lives"]
    assert found["wording"] == same["wording"]
    assert found["calendar"]["out_of_order"] == 0
    asked_for = described(ustory, newsfeed, "--format", "newsfeed")
    assert asked_for == found


def test_a_data_set_is_discovered_and_evaluated_like_its_articles(
    ustory: Ustory, stream: Path, newsfeed: Path
) -> None:
    scores = []
    for file, flags in ((stream, ()), (newsfeed, ("--format", "newsfeed"))):
        run = ustory("discover", file, *flags, *FAST, "--assignments", "out.jsonl")
        assert run.exit_code == 0, run.output
        result = ustory(
            "evaluate", file, "out.jsonl", *flags, "--window", "3d", "--json"
        )
        assert result.exit_code == 0, result.output
        scores.append(json.loads(result.stdout))

    assert scores[0] == scores[1]


def test_a_data_set_is_resumed(ustory: Ustory, newsfeed: Path) -> None:
    ustory("discover", newsfeed, *FAST, "--stories", "a.jsonl")
    entries = json.loads(newsfeed.read_text(encoding="utf-8"))
    newsfeed.write_text(json.dumps(entries[len(entries) // 2 :]), encoding="utf-8")
    flags = (*FAST, "--state", "parts.state", "--stories", "b.jsonl")
    ustory("discover", newsfeed, *flags)
    newsfeed.write_text(json.dumps(entries), encoding="utf-8")

    resumed = ustory("discover", newsfeed, *flags)

    assert resumed.exit_code == 0, resumed.output
    assert Path("b.jsonl").read_bytes() == Path("a.jsonl").read_bytes()


def test_what_was_skipped_is_not_counted_again_when_a_data_set_is_resumed(
    ustory: Ustory, newsfeed: Path
) -> None:
    entries = json.loads(newsfeed.read_text(encoding="utf-8"))
    bad = [{**entries[0], "id": f"bad {n}", "date": "soon"} for n in range(3)]
    newsfeed.write_text(json.dumps([*entries, *bad]), encoding="utf-8")
    flags = (*FAST, "--state", "s.state", "--on-error", "skip", "--json")

    runs = [json.loads(ustory("discover", newsfeed, *flags).stdout) for _ in range(2)]

    assert [run["skipped"] for run in runs] == [{"bad-date": 3}] * 2


def test_a_data_set_comes_through_a_pipe(ustory: Ustory, newsfeed: Path) -> None:
    given = newsfeed.read_bytes()

    result = ustory("describe", "-", "--format", "newsfeed", "--json", stdin=given)

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == described(ustory, newsfeed)


@pytest.mark.parametrize("command", ["describe", "discover"])
def test_a_wrong_format_is_one_line_with_a_remedy(
    command: str, ustory: Ustory, stream: Path
) -> None:
    result = ustory(command, stream, "--format", "wcep18", "--on-error", "skip")

    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: news.jsonl is not in the format of WCEP: its first")
    assert "must be an object with `id` and `articles`" in line
    assert line.endswith("with --format, or leave --format out")


def test_an_unknown_format_is_refused_with_those_there_are(
    ustory: Ustory, stream: Path
) -> None:
    result = ustory("describe", stream, "--format", "xml")

    assert result.exit_code == 2
    for name in ("csv", "jsonl", "newsfeed", "parquet", "tsv"):
        assert f"'{name}'" in result.stderr


def test_a_data_set_that_is_cut_short_is_refused(
    ustory: Ustory, newsfeed: Path
) -> None:
    newsfeed.write_text(newsfeed.read_text(encoding="utf-8")[:-9], encoding="utf-8")

    result = ustory("describe", newsfeed, "--on-error", "skip")

    assert result.exit_code == 1
    assert "is not whole JSON" in result.stderr
    assert "fetch the file again" in result.stderr


def test_skipped_records_are_told(
    ustory: Ustory, news: Records, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "odd.jsonl", [*news, {"title": "No date"}])

    assert ustory("describe", path).exit_code == 1
    result = ustory("describe", path, "--on-error", "skip", "--json")
    assert json.loads(result.stdout)["skipped"] == {"missing-date": 1}
    assert "skipped 1 missing-date" in result.stderr


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--window", "700"), "--window must be a duration like 7d"),
        (("--slide", "8d"), "no longer than the window"),
    ],
)
def test_windows_are_durations(
    flags: tuple[str, str], message: str, ustory: Ustory, stream: Path
) -> None:
    result = ustory("describe", stream, *flags)

    assert result.exit_code == 1
    assert message in result.stderr
