"""`ustory load` says in words and in numbers what was borne."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import FAST, Ustory
from ustory.sources.demo import demo_stream

SMALL = ("--simulate", 60, "--days", 9, "--sentences", 4)


def test_an_invented_stream_is_loaded_and_summed_up(ustory: Ustory) -> None:
    result = ustory("load", *SMALL, *FAST, "--json", "numbers.json")

    assert result.exit_code == 0, result.output
    first, *others = result.stdout.splitlines()
    assert first.startswith("60 articles against the engine, as fast as they were")
    assert [line.split()[0] for line in others[:-1]] == [
        "sustained", "slides", "memory", "window",
    ]  # fmt: skip
    assert others[-1].endswith("articles a day.")
    numbers = json.loads(Path("numbers.json").read_text())
    assert numbers["articles"] == 60
    assert numbers["slides"]["count"] == 9
    assert numbers["articles_per_second"] > 0
    assert numbers["peak_mib"] >= numbers["memory_mib"] > 0


def test_a_stream_is_replayed_at_a_rate(ustory: Ustory) -> None:
    result = ustory("load", demo_stream(), *FAST, "--rate", 1000, "--preset", "paper")

    assert result.exit_code == 0, result.output
    assert "122 articles against the engine, at 1000 a second" in result.stdout
    assert "behind the rate" in result.stdout
    assert result.stdout.splitlines()[-1].startswith(("It keeps up", "It falls behind"))


def test_it_ends_after_some_seconds(ustory: Ustory) -> None:
    result = ustory(
        "load", *SMALL, *FAST, "--rate", 20, "--seconds", 0.3, "--json", "out.json"
    )

    assert result.exit_code == 0, result.output
    assert 1 <= json.loads(Path("out.json").read_text())["articles"] <= 6


def test_progress_is_shown_on_demand_and_on_stderr(ustory: Ustory) -> None:
    shown = ustory("load", *SMALL, *FAST, "--progress")

    assert "loading" in shown.stderr
    assert "loading" not in shown.stdout


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ([], "give a STREAM to read, or --simulate N to invent some"),
        (["news.jsonl", *SMALL], "a load needs articles of one kind"),
        (["news.jsonl", "--days", "3"], "--days is for invented articles"),
        ([*SMALL, "--format", "csv"], "--format is for a STREAM"),
        ([*SMALL, "--rate", "0"], "a rate is a number of articles a second above 0"),
        ([*SMALL, "--seconds", "-1"], "--seconds must be above 0, got -1.0"),
        (
            [*SMALL, "--against", "somewhere"],
            "--against takes `engine`, or",
        ),
        ([*SMALL, "--dates", "own"], "--dates is for a service"),
        (["--simulate", "0"], "articles must be from 1 to 100,000,000, got 0"),
        (["none.jsonl"], "none.jsonl"),
        ([*SMALL, "--json", "none/out.json"], "cannot write none/out.json"),
        (
            [*SMALL, "--against", "http://127.0.0.1:9", "--min-articles", "3"],
            "a service has settings of its own, and --min-articles was given",
        ),
        (
            [*SMALL, "--against", "http://127.0.0.1:9", "--set", "slide=1d"],
            "a service has settings of its own, and --set was given",
        ),
        ([*SMALL, "--against", "http://127.0.0.1:9"], "it cannot be reached"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nonsense_is_refused_in_a_line(
    ustory: Ustory, flags: list[str], reason: str
) -> None:
    result = ustory("load", *flags)

    assert result.exit_code == 1, result.output
    assert reason in result.stderr
    assert len(result.stderr.splitlines()) == 1
