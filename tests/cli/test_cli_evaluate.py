from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import FAST, Records, Ustory, write_lines

WINDOW = ("--window", "3d")
METRICS = ["bcubed_precision", "bcubed_recall", "bcubed_f1", "ami", "ari"]


def perfect(news: Records) -> Records:
    """Assign every article of each day's window to its true story."""
    days = sorted({record["published_at"][:10] for record in news})
    ends = [*days[1:], "2024-03-13"]
    return [
        {"slide_end": f"{end}T00:00:00Z", "article": r["id"], "story": r["story"]}
        for number, end in enumerate(ends)
        for r in news
        if days[max(number - 2, 0)] <= r["published_at"][:10] <= days[number]
    ]


@pytest.fixture
def truth(stream: Path, news: Records, tmp_path: Path) -> tuple[Path, Path]:
    return stream, write_lines(tmp_path / "perfect.jsonl", perfect(news))


def test_perfect_assignments_score_one_in_every_cell(
    ustory: Ustory, truth: tuple[Path, Path]
) -> None:
    result = ustory("evaluate", *truth, *WINDOW)

    assert result.exit_code == 0, result.output
    header, windowed, *ends, whole, first, arrival = result.stdout.splitlines()[:7]
    assert header.split() == [
        "protocol", "scored", "over", "B3-P", "B3-R", "B3-F1", "AMI", "ARI",
    ]  # fmt: skip
    assert windowed.split() == [
        "singleton", "mean", "of", "6", "windows", "of", "3d", *["1.0000"] * 5,
    ]  # fmt: skip
    assert [end.split()[:3] for end in ends] == [
        ["singleton", "95%", "low"],
        ["singleton", "95%", "high"],
    ]
    assert whole.split() == ["singleton", "the", "whole", "stream", *["1.0000"] * 5]
    for line in (*ends, first, arrival):
        assert line.split()[-5:] == ["1.0000"] * 5


def test_perfect_assignments_keep_every_identity(
    ustory: Ustory, truth: tuple[Path, Path]
) -> None:
    result = ustory("evaluate", *truth, *WINDOW)

    counts, intervals, *identity = result.stdout.splitlines()[7:]
    assert "labelled articles" in counts
    assert intervals == (
        "intervals: 2,000 resamples of 6 windows, in blocks of 3d; too narrow, with so "
        "few blocks"
    )
    assert "of two articles or more" in identity[0]
    assert "detected 100.0%, by the second article 100.0%" in identity[1]
    assert identity[2:] == [
        "  0 id switches, 0.00 per story; 100.0% never switch",
        "  1.00 found stories per story; 100.0% in one piece",
        "  articles that left their first story: 0",
    ]


def test_json_has_intervals_and_identity_beside_the_scores(
    ustory: Ustory, news: Records, truth: tuple[Path, Path]
) -> None:
    found = json.loads(ustory("evaluate", *truth, *WINDOW, "--json").stdout)

    repeated = [n for n in Counter(r["story"] for r in news).values() if n > 1]
    assert list(found) == [
        "protocol", "window", "slide", "windowed", "whole_stream", "full_windows",
        "unlabelled", "missing", "intervals", "identity", "under_floor",
    ]  # fmt: skip
    assert found["intervals"]["block_windows"] == 3
    assert list(found["intervals"]["windowed"]) == METRICS
    assert found["intervals"]["windowed"]["ami"] == {"low": 1, "high": 1}
    assert found["identity"]["settled"] == found["whole_stream"]
    assert found["identity"]["detection"]["stories"] == len(repeated)
    assert found["identity"]["detection"]["by_second_article"] == 1
    assert found["identity"]["continuity"]["switches"] == 0


def test_floors_may_be_under_identity_too(
    ustory: Ustory, truth: tuple[Path, Path]
) -> None:
    floor = ("--floor", "detection_by_second_article=1", "--floor", "first_ami=1")

    assert ustory("evaluate", *truth, *WINDOW, *floor).exit_code == 0


def test_what_discover_writes_is_what_evaluate_reads(
    ustory: Ustory, stream: Path
) -> None:
    ustory("discover", stream, *FAST, "--assignments", "out.jsonl")

    scores = {
        protocol: json.loads(
            ustory(
                "evaluate",
                stream,
                "out.jsonl",
                *WINDOW,
                "--protocol",
                protocol,
                "--json",
            ).stdout
        )
        for protocol in ("singleton", "paper")
    }

    for protocol, score in scores.items():
        assert score["protocol"] == protocol
        assert score["full_windows"] is True
        assert score["missing"] == 0
        assert len(score["windowed"]["windows"]) == 6
        assert list(score["windowed"])[:5] == METRICS
        assert 0 < score["whole_stream"]["bcubed_f1"] < 1
    one, other = scores["singleton"]["windowed"], scores["paper"]["windowed"]
    assert one["bcubed_precision"] > other["bcubed_precision"]


def test_floors_are_a_gate(ustory: Ustory, truth: tuple[Path, Path]) -> None:
    held = ustory("evaluate", *truth, *WINDOW, "--floor", "windowed_bcubed_f1=1")
    fallen = ustory(
        "evaluate", *truth, *WINDOW, "--floor", "whole_stream_ari=1.1", "--json"
    )

    assert held.exit_code == 0, held.output
    assert fallen.exit_code == 1
    assert "whole_stream_ari is 1.0000, under its floor of 1.1000" in fallen.stderr
    assert len(json.loads(fallen.stdout)["under_floor"]) == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "line 2: the line is not JSON"),
        ("[]", "line 2: the line must hold a JSON object"),
        ('{"article": "a"}', "line 2: `slide_end` must be text; got null"),
        ('{"slide_end": "2024-03-05", "article": 3}', "line 2: `article` must be text"),
        ('{"slide_end": "soon", "article": "a"}', "line 2: `slide_end` cannot be read"),
        (
            '{"slide_end": "2024-03-05", "article": "a", "story": 3}',
            "line 2: `story` must be text or null; got 3",
        ),
        (
            '{"slide_end": "2024-03-05", "article": "stranger", "story": null}',
            "the stream has no article 'stranger'",
        ),
    ],
)
def test_a_bad_line_of_assignments_is_named(
    line: str, reason: str, ustory: Ustory, stream: Path, news: Records
) -> None:
    first = json.dumps(perfect(news)[0])
    Path("out.jsonl").write_text(f"{first}\n{line}\n")

    result = ustory("evaluate", stream, "out.jsonl", *WINDOW)

    assert result.exit_code == 1
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--window", "700"], "--window must be a duration like 7d"),
        (["--floor", "windowed_ari"], "--floor takes NAME=VALUE"),
        (["--floor", "beauty=1"], "there is a floor for 'beauty', which is not scored"),
        (["--slide", "5d"], "slide (5d) must not be longer than window (3d)"),
    ],
)
def test_flags_that_make_no_sense_are_refused(
    flags: Sequence[str], reason: str, ustory: Ustory, truth: tuple[Path, Path]
) -> None:
    result = ustory("evaluate", *truth, *WINDOW, *flags)

    assert result.exit_code == 1
    assert reason in result.stderr


def test_articles_without_a_label_or_a_window_are_mentioned(
    ustory: Ustory, news: Records
) -> None:
    plain: dict[str, Any] = {"id": "plain", "date": "2024-03-12", "title": "No label"}
    unseen = {**plain, "id": "unseen", "story": "noise"}
    write_lines(Path("more.jsonl"), [*news, plain, unseen])
    write_lines(Path("out.jsonl"), perfect(news))

    result = ustory("evaluate", "more.jsonl", "out.jsonl", *WINDOW)

    assert "1 article has no label, and no part in the scores" in result.stdout
    assert "1 labelled article is in no window" in result.stdout


def test_a_stream_without_labels_is_refused(ustory: Ustory, news: Records) -> None:
    plain = [{k: v for k, v in r.items() if k != "story"} for r in news]
    write_lines(Path("plain.jsonl"), plain)
    write_lines(Path("out.jsonl"), perfect(news))

    result = ustory("evaluate", "plain.jsonl", "out.jsonl", *WINDOW)

    assert result.exit_code == 1
    assert result.stderr == (
        "Error: no article of the stream has a true story; scores need a labelled "
        "stream\n"
    )


def test_one_true_story_is_scored_with_a_warning(ustory: Ustory, news: Records) -> None:
    write_lines(Path("one.jsonl"), [{**r, "story": "all"} for r in news])
    write_lines(Path("out.jsonl"), perfect(news))

    result = ustory("evaluate", "one.jsonl", "out.jsonl", *WINDOW)

    assert result.exit_code == 0, result.output
    assert "with one true story, AMI and ARI are 1 if exactly it" in result.stdout
    assert "1 true story of two articles or more" in result.stdout


def test_stories_of_one_article_each_have_no_identity(
    ustory: Ustory, news: Records
) -> None:
    write_lines(Path("apart.jsonl"), [{**r, "story": r["id"]} for r in news])
    write_lines(Path("out.jsonl"), perfect(news))

    result = ustory("evaluate", "apart.jsonl", "out.jsonl", *WINDOW)

    assert "no two articles share a true story" in result.stdout
    assert result.stdout.endswith("over 0 true stories of two articles or more\n")


def test_nothing_assigned_is_scored_and_said(
    ustory: Ustory, news: Records, stream: Path
) -> None:
    nothing = [{**row, "story": None} for row in perfect(news)]
    write_lines(Path("out.jsonl"), nothing)

    result = ustory("evaluate", stream, "out.jsonl", *WINDOW)
    values = json.loads(
        ustory("evaluate", stream, "out.jsonl", *WINDOW, "--json").stdout
    )

    assert result.exit_code == 0, result.output
    assert "no labelled article ends in a story" in result.stdout
    assert "detected 0.0%, by the second article 0.0%; after –" in result.stdout
    assert "0 id switches, – per story; – never switch" in result.stdout
    assert values["identity"]["continuity"]["fragments_per_story"] is None
    assert values["whole_stream"]["bcubed_precision"] == 1


def test_a_short_stream_has_no_intervals(ustory: Ustory, news: Records) -> None:
    days = sorted({r["published_at"][:10] for r in news})[:4]
    short = [r for r in news if r["published_at"][:10] in days]
    write_lines(Path("short.jsonl"), short)
    rows = [r for r in perfect(news) if r["slide_end"][:10] <= max(days)]
    write_lines(Path("out.jsonl"), rows)

    result = ustory("evaluate", "short.jsonl", "out.jsonl", *WINDOW)
    values = json.loads(
        ustory("evaluate", "short.jsonl", "out.jsonl", *WINDOW, "--json").stdout
    )

    assert "no intervals: they need 6 windows, two blocks of 3d" in result.stdout
    assert "95%" not in result.stdout
    assert values["intervals"] is None


@pytest.mark.parametrize("name", ["stream", "assignments"])
def test_a_missing_file_is_one_line(
    name: str, ustory: Ustory, truth: tuple[Path, Path]
) -> None:
    files = ("none", truth[1]) if name == "stream" else (truth[0], "none")

    result = ustory("evaluate", *files)

    assert result.exit_code == 1
    assert result.stderr == "Error: there is no file at none; check the path\n"


@pytest.mark.parametrize(
    ("run", "given"),
    [("3d", "7d"), ("3d", "4d"), ("5d", "3d"), ("2d", "7d"), ("36h", "3d")],
)
def test_the_window_of_another_run_is_refused_and_the_right_one_named(
    run: str, given: str, ustory: Ustory, stream: Path
) -> None:
    chosen = ("--encoder", "tiny", "--window", run)
    ustory("discover", stream, *chosen, "--assignments", "out.jsonl")

    wrong = ustory("evaluate", stream, "out.jsonl", "--window", given)
    right = ustory("evaluate", stream, "out.jsonl", "--window", run)

    assert wrong.exit_code == 1
    assert wrong.stderr == (
        f"Error: --window is {given}, but these assignments look like a window of "
        f"{run}; pass --window {run}\n"
    )
    assert right.exit_code == 0, right.output


def test_windows_by_number_are_refused(ustory: Ustory, stream: Path) -> None:
    by_number = ("--encoder", "tiny", "--window", 40, "--slide", 10)
    ustory("discover", stream, *by_number, "--assignments", "out.jsonl")

    result = ustory("evaluate", stream, "out.jsonl")

    assert result.exit_code == 1
    assert "must be by time and not by number of articles" in result.stderr
