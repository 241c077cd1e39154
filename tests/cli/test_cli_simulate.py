"""`ustory simulate` writes streams that the other commands read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest

from tests.cli.calls import FAST, Ustory, read_lines
from ustory.core.article import Article
from ustory_bench.simulate import SimulationPlan, simulate

SMALL = ("--articles", 60, "--stories", 8, "--days", 9, "--sentences", 4)


def test_a_stream_goes_to_standard_output(ustory: Ustory) -> None:
    result = ustory("simulate", *SMALL)

    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert len(records) == 60
    assert list(records[0]) == [
        "id", "published_at", "title", "text", "lang", "source", "url", "story",
    ]  # fmt: skip
    dates = [record["published_at"] for record in records]
    assert dates == sorted(dates)
    assert "2024-01-01" <= dates[0] < dates[-1] < "2024-01-10"
    labels = {record["story"] for record in records}
    assert len({label for label in labels if label.startswith("story-")}) == 8


def test_a_file_holds_the_same_and_gz_packs_it(ustory: Ustory) -> None:
    printed = ustory("simulate", *SMALL).stdout
    plain = ustory("simulate", *SMALL, "--out", "news.jsonl")
    packed = ustory("simulate", *SMALL, "--out", "news.jsonl.gz")
    again = ustory("simulate", *SMALL, "--out", "again.jsonl.gz")

    assert plain.stdout == packed.stdout == ""
    assert plain.stderr == "news.jsonl: 60 articles, 8 stories, 6 of noise\n"
    assert again.exit_code == 0
    assert Path("news.jsonl").read_text() == printed
    assert gzip.decompress(Path("news.jsonl.gz").read_bytes()).decode() == printed
    assert Path("news.jsonl.gz").read_bytes() == Path("again.jsonl.gz").read_bytes()


def test_every_option_changes_the_stream(ustory: Ustory) -> None:
    changes = [
        ("--articles", 70), ("--stories", 9), ("--days", 20), ("--sentences", 5),
        ("--noise", 0.4), ("--drift", 1), ("--copies", 0.9), ("--twins", 1),
        ("--seed", 3), ("--start", "2023-05-06"),
    ]  # fmt: skip

    streams = {ustory("simulate", *SMALL, *change).stdout for change in changes}

    assert len({ustory("simulate", *SMALL).stdout, *streams}) == len(changes) + 1


def test_discover_reads_it_and_evaluate_scores_it(ustory: Ustory) -> None:
    ustory("simulate", *SMALL, "--out", "news.jsonl.gz")

    found = ustory("discover", "news.jsonl.gz", *FAST, "--assignments", "out.jsonl")
    scored = ustory("evaluate", "news.jsonl.gz", "out.jsonl", "--window", "3d")

    assert found.exit_code == 0, found.output
    assert scored.exit_code == 0, scored.output
    assert {row["article"] for row in read_lines(Path("out.jsonl"))} == {
        f"sim-{number:08d}" for number in range(60)
    }
    assert "whole stream" in scored.stdout


def test_progress_is_shown_on_demand_and_never_in_the_stream(ustory: Ustory) -> None:
    quiet = ustory("simulate", *SMALL)
    shown = ustory("simulate", *SMALL, "--progress")

    assert "writing" in shown.stderr
    assert shown.stdout == quiet.stdout


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--articles", "0"], "articles must be from 1 to 100,000,000, got 0"),
        (["--articles", "10", "--stories", "9"], "every story needs 2 articles"),
        (["--noise", "3"], "noise is a share and must be from 0 to 1, got 3.0"),
        (["--days", "-2"], "days must be from 1 to 36,500, got -2"),
        (["--start", "9999-12-31"], "the stream must end before the year 10000"),
        (["--out", "none/news.jsonl"], "cannot write none/news.jsonl: No such file"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    flags: Sequence[str], reason: str, ustory: Ustory
) -> None:
    result = ustory("simulate", *flags)

    assert result.exit_code == 1
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_bad_plan_leaves_an_older_file_alone(ustory: Ustory) -> None:
    Path("news.jsonl").write_text("old")

    ustory("simulate", "--noise", "3", "--out", "news.jsonl")

    assert Path("news.jsonl").read_text() == "old"


def test_what_is_interrupted_leaves_no_file(
    ustory: Ustory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(plan: SimulationPlan) -> Iterator[Article]:
        yield from islice(simulate(plan), 3)
        raise KeyboardInterrupt

    monkeypatch.setattr("ustory_bench.commands.simulate.simulate_articles", interrupted)
    ustory("simulate", "--articles", "40", "--out", "news.jsonl")

    assert not list(Path().glob("*news*")) + list(Path().glob(".*news*"))
