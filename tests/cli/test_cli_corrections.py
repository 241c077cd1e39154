"""A file that has an address twice corrects the article, in one run or in two."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import FAST, Records, Ustory, write_lines
from tests.engine.correcting import ALONE, CUP, QUAKE

COMMAND = ("discover", "news.jsonl", *FAST, "--json")


def told(name: str, text: str, moment: str) -> dict[str, Any]:
    return {
        "url": f"https://news.example/{name}",
        "published_at": f"2024-03-{moment}Z",
        "title": " ".join(text.split()[:8]),
        "text": text,
        "source": name,
    }


FIRST: Records = [
    *(told(f"q{n}", text, f"04T0{n}:00") for n, text in enumerate(QUAKE[:3])),
    *(told(f"c{n}", text, f"04T1{n}:00") for n, text in enumerate(CUP[:3])),
]
LATER = told("later", ALONE, "05T08:00")
CORRECTED = told("q2", CUP[3], "05T09:00")
SMALL = told("q2", QUAKE[2].replace("eleven", "twelve"), "05T09:00")


def sizes(output: str) -> list[int]:
    return sorted(each["articles"] for each in json.loads(output)["stories"])


def test_a_corrected_article_moves_and_is_counted_once(ustory: Ustory) -> None:
    write_lines(Path("news.jsonl"), [*FIRST, LATER, CORRECTED])

    result = ustory(*COMMAND, "--events", "events.jsonl")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["articles"] == 7
    assert json.loads(result.stdout)["skipped"] == {}
    assert sizes(result.stdout) == [2, 4]
    lines = Path("events.jsonl").read_text().splitlines()
    assert [json.loads(each)["kind"] for each in lines] == ["born", "born", "moved"]


@pytest.mark.parametrize("again", [SMALL, FIRST[2]], ids=["a word", "nothing"])
def test_a_small_correction_changes_no_story(
    again: dict[str, Any], ustory: Ustory
) -> None:
    write_lines(Path("news.jsonl"), [*FIRST, LATER, again])

    result = ustory(*COMMAND, "--events", "events.jsonl")

    assert sizes(result.stdout) == [3, 3]
    assert Path("events.jsonl").read_text().count("\n") == 2


@pytest.mark.parametrize("cut", [6, 7])
def test_a_run_in_two_parts_equals_one(cut: int, ustory: Ustory) -> None:
    records = [*FIRST, LATER, CORRECTED, told("last", ALONE, "06T09:00")]
    write_lines(Path("news.jsonl"), records)
    whole = ustory(*COMMAND, "--events", "whole.jsonl")
    write_lines(Path("news.jsonl"), records[:cut])
    command = (*COMMAND, "--state", "state", "--events", "part.jsonl")
    ustory(*command)
    write_lines(Path("news.jsonl"), records[: cut + 1])
    ustory(*command)
    write_lines(Path("news.jsonl"), records)

    part = ustory(*command)

    assert Path("part.jsonl").read_text() == Path("whole.jsonl").read_text()
    assert json.loads(part.stdout)["stories"] == json.loads(whole.stdout)["stories"]


def test_an_id_of_its_own_that_comes_again_is_named(ustory: Ustory) -> None:
    records = [{**each, "id": each["source"]} for each in (*FIRST, CORRECTED)]
    write_lines(Path("news.jsonl"), records)

    result = ustory(*COMMAND)

    assert result.exit_code == 1
    assert "the id 'q2' was read before" in result.stderr
