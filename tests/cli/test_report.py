from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from rich.console import Console

from ustory.cli.report import story_table
from ustory.cli.story_record import StoryRecord

RECORDS = [
    StoryRecord(
        id=f"s{number:06d}",
        headline="[bold]A[/] headline of some length, as they are in newspapers"
        " that pay by the word and not by the story",
        keywords=("quake", "bay", "kestrel bay", "rescue", "tsunami", "aftershock"),
        articles=12 - number,
        first_seen=datetime(2024, 3, 4 + number, 6, tzinfo=UTC),
        last_seen=datetime(2024, 4, 20, 6, tzinfo=UTC),
        days={date(2024, 3, 4 + number): 11 - number, date(2024, 4, 20): 1},
    )
    for number in range(3)
]


@pytest.mark.parametrize("width", [80, 100, 150])
def test_the_table_fits_and_shows_headlines_as_they_are(width: int) -> None:
    console = Console(width=width, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(story_table(RECORDS, console))
    lines = captured.get().splitlines()

    assert max(map(len, lines)) <= width
    assert sum(line.startswith("s0000") for line in lines) == 3
    assert "[bold]A[/]" in captured.get()
    assert "by the story" not in captured.get()
    assert "aftershock" not in captured.get()
    bars = lines[1].split()[-1]
    assert len(bars) == (24 if width >= 120 else 10)
    assert bars[0] == "█"
    assert bars[-1] == "▁"


def test_a_record_comes_back_from_its_dict() -> None:
    for record in RECORDS:
        assert StoryRecord.from_dict(record.to_dict()) == record
