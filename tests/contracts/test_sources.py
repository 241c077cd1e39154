"""Our sources keep the contract, and the contract catches those that do not."""

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ustory.core.article import Article
from ustory.core.protocols import Arrival
from ustory.sources import Problems, open_source
from ustory.testing.checks import check_source

RECORDS = [
    {"id": str(n), "date": f"2024-03-0{n}", "title": f"Title {n}", "text": "One.\nTwo."}
    for n in range(1, 5)
]


def write_lines(path: Path) -> None:
    path.write_text("\n\n".join(map(json.dumps, RECORDS)), encoding="utf-8")


def write_packed(path: Path) -> None:
    write_lines(path)
    path.write_bytes(gzip.compress(path.read_bytes()))


def write_table(path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(
            file, RECORDS[0], delimiter="\t" if path.suffix == ".tsv" else ","
        )
        writer.writeheader()
        writer.writerows(RECORDS)


def write_parquet(path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist(RECORDS), path)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("news.jsonl", write_lines),
        ("news.jsonl.gz", write_packed),
        ("news.csv", write_table),
        ("news.tsv", write_table),
        ("news.parquet", write_parquet),
    ],
)
def test_our_sources_keep_the_contract(
    name: str, write: Callable[[Path], None], tmp_path: Path
) -> None:
    write(tmp_path / name)

    check_source(lambda: open_source(str(tmp_path / name), Problems()))


DAYS = [datetime(2024, 3, n, tzinfo=UTC) for n in (1, 2, 3)]
SOUND = [
    Arrival(Article(id=f"a{day.day}", published_at=day, title="T"), f"{day.day}")
    for day in DAYS
]


class Listed:
    """A source that gives what it is told to."""

    name = "listed"

    def __init__(self, arrivals: list[Arrival]) -> None:
        self._arrivals = arrivals

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield what lies behind the arrival with this cursor."""
        cursors = [arrival.cursor for arrival in self._arrivals]
        yield from self._arrivals[cursors.index(after) + 1 if after else 0 :]


def with_article(**changes: object) -> list[Arrival]:
    wrong = replace(SOUND[1].article, **changes)  # type: ignore[arg-type]
    return [SOUND[0], Arrival(wrong, "2"), SOUND[2]]


def test_a_sound_source_passes() -> None:
    check_source(lambda: Listed(SOUND))


@pytest.mark.parametrize(
    ("arrivals", "message"),
    [
        ([], "at least two articles"),
        (SOUND[:1], "at least two articles"),
        (with_article(id=""), "empty id"),
        (with_article(id=7), "empty id"),
        (with_article(published_at=datetime(2024, 3, 2)), "aware time in UTC"),  # noqa: DTZ001 - the point of the case
        (with_article(published_at="2024-03-02"), "aware time in UTC"),
        (with_article(fetched_at=datetime(2024, 3, 2)), "fetched_at"),  # noqa: DTZ001 - the point of the case
        (with_article(title=None), "title is no text"),
        (with_article(title=""), "neither title nor text"),
        (with_article(url=""), "url must be text or None"),
        (with_article(authors=["A"]), "authors must be a tuple"),
        ([SOUND[0], replace(SOUND[1], cursor="1")], "not distinct"),
        ([SOUND[0], Arrival(SOUND[1].article, 2)], "must be text"),  # type: ignore[arg-type]
    ],
)
def test_an_unsound_article_or_cursor_is_caught(
    arrivals: list[Arrival], message: str
) -> None:
    with pytest.raises(AssertionError, match=message):
        check_source(lambda: Listed(arrivals))


def test_a_source_that_resumes_a_step_early_is_caught() -> None:
    class Repeating(Listed):
        def read(self, after: str | None = None) -> Iterator[Arrival]:
            if after:
                yield SOUND[int(after) - 1]
            yield from super().read(after)

    with pytest.raises(
        AssertionError, match="after the cursor '1' come other articles"
    ):
        check_source(lambda: Repeating(SOUND))


def test_a_source_that_runs_dry_is_caught() -> None:
    class Once(Listed):
        def read(self, after: str | None = None) -> Iterator[Arrival]:
            while self._arrivals:
                yield self._arrivals.pop(0)

    with pytest.raises(AssertionError, match="second reading"):
        check_source(lambda: Once(list(SOUND)))


def test_a_source_without_a_name_is_caught() -> None:
    class Nameless(Listed):
        name = ""

    with pytest.raises(AssertionError, match="name"):
        check_source(lambda: Nameless(SOUND))
