from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from ustory.cli.feed import ArticleFeed
from ustory.cli.saved import Position, Skipped
from ustory.core.errors import InputError
from ustory.core.settings import Settings
from ustory.engine.prepare import Stopwatch
from ustory.sources.merging import HeldArticles

START = Position()


def bad(line: int, kind: str = "broken-json", file: str = "a") -> InputError:
    return InputError(kind, "no good", file=file, line=line)


def test_a_bad_record_counts_once_the_cursor_has_passed_it() -> None:
    skipped = Skipped("skip", START)
    for line in (2, 3, 5):
        skipped(bad(line))

    assert skipped.problems.counts == {"broken-json": 3}
    assert skipped.position({"a": "1"}).skipped == {}
    assert skipped.position({"a": "4"}).skipped == {"broken-json": 2}
    assert skipped.position({"a": "6"}).skipped == {"broken-json": 3}
    assert skipped.position({"a": "6"}).examples == {
        "broken-json": "a, line 2: no good"
    }


def test_a_problem_of_the_whole_file_is_met_again_by_the_next_run() -> None:
    skipped = Skipped("skip", START)
    skipped(bad(0, "empty-file"))

    assert skipped.problems.counts == {"empty-file": 1}
    assert skipped.position({"a": "9"}).skipped == {}


def test_a_million_bad_lines_in_a_row_take_no_memory() -> None:
    skipped = Skipped("skip", START)
    for line in range(1, 10_001):
        skipped(bad(line, ("broken-json", "no-text")[line % 2]))

    assert len(skipped._ahead) == 1
    assert skipped.position({"a": "10001"}).skipped == {
        "broken-json": 5000, "no-text": 5000,
    }  # fmt: skip


LINES = st.lists(st.sampled_from(["good", "again", "bad", "blank"]), max_size=12)
MOMENT = datetime(2024, 3, 4, tzinfo=UTC)


def write(path: Path, lines: list[str]) -> str:
    texts = {
        "good": '{{"id": "{0} {1}", "date": "2024-03-04", "title": "T"}}',
        "again": '{{"id": "again", "date": "2024-03-04", "title": "T"}}',
        "bad": "{{",
        "blank": "",
    }
    rows = [texts[kind].format(path.name, n) for n, kind in enumerate(lines)]
    path.write_text("".join(f"{row}\n" for row in rows))
    return str(path)


def read(feed: ArticleFeed) -> list[tuple[str, Position]]:
    articles = feed.read(Stopwatch(), lambda cursors: None)
    return [(article.id, feed.before) for article in articles]


@given(first=LINES, second=LINES, stop=st.integers(0, 24))
def test_reading_in_two_parts_gives_and_counts_what_reading_at_once_does(
    first: list[str], second: list[str], stop: int
) -> None:
    with TemporaryDirectory() as folder:
        paths = [
            write(Path(folder) / "one", first),
            write(Path(folder) / "two", second),
        ]
        whole = ArticleFeed(paths, "skip", Settings(), START, HeldArticles())
        all_read = read(whole)
        if not all_read:
            return
        before, behind = (
            all_read[: stop % len(all_read)],
            all_read[stop % len(all_read) :],
        )
        held = HeldArticles(pending=tuple((article, MOMENT) for article, _ in before))
        rest = ArticleFeed(paths, "skip", Settings(), behind[0][1], held)
        rest.begin()

        assert [article for article, _ in read(rest)] == [a for a, _ in behind]
        assert rest.skipped.problems.counts == whole.skipped.problems.counts
        assert rest.after == whole.after
