from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import FAST, PAPER, Records, Ustory, read_lines, write_lines


def test_the_table_shows_every_story_with_its_days(
    ustory: Ustory, stream: Path
) -> None:
    flags = ("--encoder", "tiny", "--window", "5d", "--slide", "6h")
    result = ustory("discover", stream, *flags, "--stories", "stories.jsonl")

    assert result.exit_code == 0, result.output
    header, *lines = result.stdout.splitlines()
    titles = "story|headline|keywords|articles|first seen|last seen|per day"
    assert re.sub(r"\s{2,}", "|", header.strip()) == titles
    rows = [line for line in lines if line.startswith("s0")]
    told = {story["id"]: story for story in read_lines(Path("stories.jsonl"))}
    assert {s["status"] for s in told.values()} == {"live", "expired", "merged"}
    stories = {k: story for k, story in told.items() if story["status"] != "merged"}
    assert {row.split()[0] for row in rows} == set(stories)
    first_day = min(story["first_seen"] for story in stories.values())
    last_day = max(story["last_seen"] for story in stories.values())
    span = datetime.fromisoformat(last_day[:10]) - datetime.fromisoformat(
        first_day[:10]
    )
    sizes = [stories[row.split()[0]]["articles"] for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    for row in rows:
        story = stories[row.split()[0]]
        *_, articles, first, last, days = row.split()
        assert int(articles) == story["articles"]
        assert (first, last) == (story["first_seen"][:10], story["last_seen"][:10])
        assert len(days) == span.days + 1
        assert len(days.replace("·", "")) == len(story["days"])
    assert result.stderr == ""


def test_the_last_lines_count_articles_and_tell_the_time_per_step(
    ustory: Ustory, stream: Path, news: Records
) -> None:
    result = ustory("discover", stream, *PAPER)

    *_, counts, times = result.stdout.rstrip().splitlines()
    assert f" stories; {len(news)} articles, " in counts
    assert " unassigned (" in counts
    for step in ("reading", "text", "encoding", "assignment", "seeding", "summary"):
        assert re.search(rf"{step} \d+\.\d\ds", times)


def test_top_limits_the_table_and_says_so(ustory: Ustory, stream: Path) -> None:
    result = ustory("discover", stream, *FAST, "--top", "3")

    rows = [line for line in result.stdout.splitlines() if line.startswith("s0")]
    total = int(
        result.stdout.split(" stories; --top 0 shows them all\n\n")[1].split()[0]
    )
    assert len(rows) == 3
    assert f"… and {total - 3} smaller stories; --top 0 shows them all" in result.stdout


def test_json_is_the_only_thing_on_stdout(
    ustory: Ustory, stream: Path, news: Records
) -> None:
    result = ustory(
        "discover", stream, *FAST, "--stories", "stories.jsonl", "--json", "--progress"
    )

    found = json.loads(result.stdout)
    assert found["articles"] == len(news)
    told = [s for s in read_lines(Path("stories.jsonl")) if s["status"] != "merged"]
    assert len(told) == len(found["stories"])  # each life of a revived one
    assert all(story in told for story in found["stories"])
    joined = sum(story["articles"] for story in found["stories"])
    assert joined + found["unassigned"] == len(news)
    assert found["waiting"] <= found["unassigned"]
    assert found["settings"]["window"] == "3d"
    assert found["skipped"] == {}
    assert all(sum(s["days"].values()) == s["articles"] for s in found["stories"])


def test_the_bar_is_silent_unless_asked_for(ustory: Ustory, stream: Path) -> None:
    assert ustory("discover", stream, *FAST).stderr == ""
    assert "articles" in ustory("discover", stream, *FAST, "--progress").stderr


def test_assignments_list_every_window_that_holds_an_article(
    ustory: Ustory, news: Records
) -> None:
    quiet = [
        record
        for record in news
        if not "2024-03-06" <= record["published_at"] < "2024-03-11"
    ]
    write_lines(Path("quiet.jsonl"), quiet)

    result = ustory("discover", "quiet.jsonl", *FAST, "--assignments", "out.jsonl")

    assert result.exit_code == 0, result.output
    windows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in read_lines(Path("out.jsonl")):
        windows[line["slide_end"]].append(line)
    # 6 and 7 March brought no article, but their windows still hold some
    days = [5, 6, 7, 8, 12, 13]
    assert list(windows) == [f"2024-03-{day:02d}T00:00:00Z" for day in days]
    for end, lines in windows.items():
        last = datetime.fromisoformat(end)
        inside = [
            record["id"]
            for record in quiet
            if last - timedelta(days=3)
            <= datetime.fromisoformat(record["published_at"])
            < last
        ]
        assert [line["article"] for line in lines] == sorted(inside)


def test_a_line_of_assignments_has_the_agreed_fields(
    ustory: Ustory, stream: Path
) -> None:
    ustory("discover", stream, *PAPER, "--assignments", "out.jsonl")

    lines = read_lines(Path("out.jsonl"))
    assert lines
    for line in lines:
        assert list(line) == [
            "slide_end", "article", "story", "similarity", "confidence",
        ]  # fmt: skip
        assert line["story"] is None or line["story"].startswith("s")
        assert 0 <= line["similarity"] <= 1
        assert 0 <= line["confidence"] <= 1
    assert {line["story"] is None for line in lines} == {True, False}
    waiting = [line for line in lines if line["story"] is None]
    assert any(line["similarity"] > 0 for line in waiting)


def test_events_tell_the_same_as_assignments(ustory: Ustory, stream: Path) -> None:
    ustory(
        *("discover", stream, *PAPER),
        *("--assignments", "out.jsonl", "--events", "ev.jsonl"),
    )

    events = read_lines(Path("ev.jsonl"))
    story_of = {
        article: event["story"] for event in events for article in event["articles"]
    }
    lines = read_lines(Path("out.jsonl"))
    assert story_of == {
        line["article"]: line["story"] for line in lines if line["story"] is not None
    }
    kinds = Counter(event["kind"] for event in events)
    assert set(kinds) == {"born", "grew", "expired"}
    assert all(before["at"] <= after["at"] for before, after in pairwise(events))
    expired = [event["story"] for event in events if event["kind"] == "expired"]
    assert len(expired) == len(set(expired))


def test_events_lead_to_the_assignments_of_linked_articles(
    ustory: Ustory, stream: Path
) -> None:
    ustory(
        *("discover", stream, *FAST),
        *("--assignments", "out.jsonl", "--events", "ev.jsonl"),
    )

    story_of: dict[str, str | None] = {}
    for event in read_lines(Path("ev.jsonl")):
        story = event["story"]
        if event["kind"] in ("released", "merged"):
            story = event.get("details", {}).get("into")
        story_of.update(dict.fromkeys(event["articles"], story))
    last: dict[str, str | None] = {}
    for line in read_lines(Path("out.jsonl")):
        last[line["article"]] = line["story"]
    assert {a: s for a, s in last.items() if s} == {
        a: s for a, s in story_of.items() if s
    }


@pytest.mark.parametrize("kind", ["gzip", "csv", "stdin", "two files"])
def test_other_ways_in_find_the_same_stories(
    kind: str, ustory: Ustory, stream: Path, news: Records
) -> None:
    expected = json.loads(ustory("discover", stream, *FAST, "--json").stdout)["stories"]
    data = stream.read_bytes()
    files, stdin = ["other"], None
    if kind == "gzip":
        Path("other").write_bytes(gzip.compress(data))
    elif kind == "csv":
        files = ["other.csv"]
        fields = ("id", "published_at", "title", "text", "source", "lang")
        lines = ["id,date,title,text,source,lang"]
        for record in news:
            cells = [record[k] for k in fields]
            lines.append(",".join('"' + c.replace('"', '""') + '"' for c in cells))
        Path("other.csv").write_text("\n".join(lines))
    elif kind == "stdin":
        files, stdin = ["-"], data
    else:
        files = ["even.jsonl", "odd.jsonl"]
        write_lines(Path("even.jsonl"), news[::2])
        write_lines(Path("odd.jsonl"), news[1::2])

    result = ustory("discover", *files, *FAST, "--json", stdin=stdin)

    assert json.loads(result.stdout)["stories"] == expected


def test_windows_by_number_of_articles_work_too(
    ustory: Ustory, stream: Path, news: Records
) -> None:
    flags = ("--encoder", "tiny", "--window", 40, "--slide", 10)

    result = ustory("discover", stream, *flags, "--assignments", "out.jsonl", "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["settings"]["window"] == "40"
    sizes = Counter(line["slide_end"] for line in read_lines(Path("out.jsonl")))
    assert list(sizes.values())[:5] == [10, 20, 30, 40, 40]
    assert len(sizes) == -(-len(news) // 10)


def test_late_articles_are_counted_with_advice(ustory: Ustory, news: Records) -> None:
    write_lines(Path("mixed.jsonl"), [*news[20:], *news[:20]])

    result = ustory("discover", "mixed.jsonl", *FAST)

    assert result.exit_code == 0
    assert "20 articles were too old for the window on arrival" in result.stdout
    assert "sort the file by date" in result.stdout


def test_flags_win_over_the_file_and_the_file_over_the_preset(
    ustory: Ustory, stream: Path
) -> None:
    Path("mine.toml").write_text('parts = "lead time"\nwindow = "4d"\nkeywords = 7\n')
    flags = ("--preset", "paper", "--settings", "mine.toml", "--window", "5d")
    more = ("--set", "temperature=1.5", "--set", "encoder=tiny", "--json")

    settings = json.loads(ustory("discover", stream, *flags, *more).stdout)["settings"]

    assert settings["window"] == "5d"
    assert settings["parts"] == "lead time"
    assert settings["keywords"] == 7
    assert settings["temperature"] == 1.5
    assert settings["slide"] == "1d"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--window", "soon"], "a window or slide is a duration like 7d"),
        (["--set", "colour=red"], "the command line: no setting named 'colour'"),
        (["--set", "keywords"], "--set takes NAME=VALUE"),
        (["--set", "keywords=many"], "keywords must be a whole number, got 'many'"),
        (["--window", "3d", "--set", "window=3d"], "window is given twice"),
        (["--encoder", "word2vec"], "no encoder named 'word2vec'; try one of: "),
        (["--settings", "none.toml"], "cannot read settings from none.toml"),
        (["--assignments", "no/out.jsonl"], "cannot write no/out.jsonl: No such file"),
        (["--events", "/dev/full"], "cannot write /dev/full: No space left"),
        (["--state", "no/state"], "cannot write no/state: No such file"),
        (["--stories", "news.jsonl"], "--stories would overwrite the input"),
        (["--events", "x", "--state", "x"], "--events would overwrite the file of"),
    ],
)
def test_what_cannot_work_is_refused_in_one_line(
    flags: list[str], message: str, ustory: Ustory, stream: Path
) -> None:
    before = stream.read_bytes()

    quick = () if "--encoder" in flags else ("--encoder", "tiny")
    result = ustory("discover", stream, *quick, *flags)

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert stream.read_bytes() == before


def test_a_run_without_a_story_still_reports(ustory: Ustory) -> None:
    write_lines(Path("one.jsonl"), [{"date": "2024-03-04", "title": "Only this"}])

    result = ustory("discover", "one.jsonl")

    assert result.exit_code == 0
    assert "0 stories; 1 article, 1 unassigned (1 of them still" in result.stdout
