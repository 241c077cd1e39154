from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from rich.console import Console

from ustory.cli.report import Summary, print_summary, story_table
from ustory.core.settings import Settings
from ustory.sources.records.problems import Problems
from ustory.stories.record import StoryRecord

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


@pytest.mark.parametrize(
    ("in_run", "in_all", "top", "said"),
    [
        (3, 3, 0, ["3 stories; 9 articles"]),
        (3, 3, 2, ["… and 1 smaller story; --top 0 shows them all", "3 stories; "]),
        (3, 7, 0, ["3 stories live or ended in this run (7 in all); 9 articles"]),
        (5, 5, 0, ["… and 2 smaller stories; --stories FILE writes them all"]),
    ],
)
def test_stories_that_are_not_shown_are_counted(
    in_run: int,
    in_all: int,
    top: int,
    said: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    summary = Summary(
        settings=Settings(),
        stories=RECORDS,
        in_run=in_run,
        in_all=in_all,
        articles=9,
        read=9,
        waiting=0,
        left=0,
        too_late=0,
        problems=Problems(),
        seconds={},
        elapsed=1.0,
    )

    print_summary(summary, top)

    printed = capsys.readouterr().out
    for words in said:
        assert words in printed
