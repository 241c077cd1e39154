"""A path's name decides how it is read."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from ustory.core.errors import ConfigError
from ustory.sources import Problems, open_source
from ustory.sources.files.jsonl import JsonLinesSource
from ustory.sources.files.parquet import ParquetSource
from ustory.sources.files.table import CsvSource

Write = Callable[[str, bytes], str]

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

RECORDS: list[dict[str, object]] = [
    {
        "id": "1", "date": "2024-03-07T10:00:00+02:00", "title": 'Quakes, "again"',
        "text": "One.\n\nTwo.", "url": "https://news.org/1", "lang": "en-GB",
        "source": "News", "author": "Ann; Bo", "story": "quake",
        "fetched_at": "2024-03-08",
    },
    {"id": "", "date": "Thu, 07 Mar 2024 12:00:00 GMT", "title": "Zoë\u2028speaks",
     "url": "https://news.org/2"},
    {"id": None, "date": "1709812800", "text": "  Only a text\t"},
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("n.jsonl", JsonLinesSource), ("n.ndjson", JsonLinesSource),
        ("n.json", JsonLinesSource), ("n.jsonl.gz", JsonLinesSource),
        ("n.JSON.GZ", JsonLinesSource), ("n.log", JsonLinesSource),
        ("n", JsonLinesSource), ("n.gz", JsonLinesSource), ("n.csv", CsvSource),
        ("2024.03.csv.gz", CsvSource), ("n.TSV", CsvSource), ("n.tsv.gz", CsvSource),
    ],
)  # fmt: skip
def test_the_suffix_chooses_the_source(name: str, kind: type, write: Write) -> None:
    assert type(open_source(write(name, b""), Problems())) is kind


def test_a_dash_is_json_lines() -> None:
    assert isinstance(open_source("-", Problems()), JsonLinesSource)


def test_parquet_inside_gzip_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"unpack the \.gz first"):
        open_source("n.parquet.gz", Problems())


def as_table(delimiter: str) -> bytes:
    text = io.StringIO()
    names = list(RECORDS[0])
    writer = csv.DictWriter(text, names, delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(RECORDS)
    return text.getvalue().encode()


def as_lines() -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in RECORDS)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("n.csv", as_table(",")),
        ("n.tsv", as_table("\t")),
        ("n.csv.gz", gzip.compress(as_table(","))),
        ("n.jsonl.gz", gzip.compress(as_lines())),
    ],
)
def test_tables_and_lines_give_the_same_articles(
    name: str, data: bytes, write: Write, now: datetime
) -> None:
    lines = open_source(write("n.jsonl", as_lines()), Problems(), now)
    other = open_source(write(name, data), Problems(), now)
    articles = [arrival.article for arrival in lines.read()]

    assert len(articles) == 3
    assert [arrival.article for arrival in other.read()] == articles


def test_parquet_gives_the_same_articles(write: Write, now: datetime) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = write("n.parquet", b"")
    names = list(RECORDS[0])
    table = [{name: record.get(name) for name in names} for record in RECORDS]
    parquet.write_table(arrow.Table.from_pylist(table), path)
    source = open_source(path, Problems(), now)
    lines = open_source(write("n.jsonl", as_lines()), Problems(), now)

    assert isinstance(source, ParquetSource)
    assert [arrival.article for arrival in source.read()] == [
        arrival.article for arrival in lines.read()
    ]


@pytest.mark.parametrize(
    ("name", "articles", "stories"),
    [("newswarp-a", 791, 128), ("allsides-2018", 1634, 697)],
)
def test_the_development_streams_are_read_whole(
    name: str, articles: int, stories: int
) -> None:
    path = DATA / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"the development stream {path.name} is not beside the project")
    read = [arrival.article for arrival in open_source(str(path), Problems()).read()]

    assert len(read) == len({article.id for article in read}) == articles
    assert len({article.label for article in read}) == stories
