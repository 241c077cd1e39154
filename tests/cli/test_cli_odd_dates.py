"""One odd date in a file costs no story anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import FAST, Ustory, write_lines
from tests.cli.test_cli_corrections import FIRST, told
from tests.engine.correcting import CUP, QUAKE

COMMAND = ("discover", "news.jsonl", *FAST, "--json", "--events", "events.jsonl")
LATER = [
    told("q8", f"{QUAKE[0]} Tents came.", "05T08:00"),
    told("c8", f"{CUP[0]} Fans sang.", "05T12:00"),
    told("c9", f"{CUP[1]} Fans sang.", "06T12:00"),
]


REPORT = (
    "Engineers looked at the cracked quay of Port Sella after the earthquake in "
    "Kestrel Bay. Rescuers searched the ruins of eleven houses and of a bakery, where "
    "four people were pulled out at dawn."
)


def odd(moment: str) -> dict[str, Any]:
    """Return a report on the quake that came on the second day."""
    return {**told("odd", REPORT, "05T10:00"), "published_at": moment}


def kinds() -> set[str]:
    lines = Path("events.jsonl").read_text().splitlines()
    return {json.loads(line)["kind"] for line in lines}


@pytest.mark.parametrize(
    "moment",
    [
        "1970-01-01T00:00:00Z",
        "1970-01-02T00:00:00Z",
        "2023-03-05T10:00:00Z",
        "2025-03-05T10:00:00Z",
        "2024-03-06T10:00:00Z",
        "2024-03-05T22:00:00Z",
        "2024-03-04T22:00:00Z",
        "2024-03-05",
    ],
)
def test_an_article_with_an_odd_date_joins_its_story(
    moment: str, ustory: Ustory
) -> None:
    write_lines(Path("news.jsonl"), [*FIRST, LATER[0], odd(moment), *LATER[1:]])

    result = ustory(*COMMAND)

    told_of = json.loads(result.stdout)
    assert result.exit_code == 0, result.output
    assert sorted(each["articles"] for each in told_of["stories"]) == [5, 5]
    assert (told_of["articles"], told_of["too_late"]) == (10, 0)
    assert kinds() == {"born", "grew"}


def test_what_nobody_can_have_published_yet_is_a_bad_record_and_costs_nothing(
    ustory: Ustory,
) -> None:
    lines = [*FIRST, LATER[0], odd("2099-03-05T10:00:00Z"), *LATER[1:]]
    write_lines(Path("news.jsonl"), lines)

    stopped = ustory(*COMMAND)
    result = ustory(*COMMAND, "--on-error", "skip")

    assert "the publication date must not be more than a day after now" in (
        stopped.stderr
    )
    told_of = json.loads(result.stdout)
    assert told_of["skipped"] == {"future-date": 1}
    assert sorted(each["articles"] for each in told_of["stories"]) == [4, 5]
