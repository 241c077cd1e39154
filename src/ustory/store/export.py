"""Articles, stories, events and assignments for other programs to read."""

from __future__ import annotations

import csv
import io
import itertools
import json
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.spans import EPOCH
from ustory.store.formulas import defused
from ustory.store.schema import articles, events, revisions, slides, stories, story_days

EXPORTS = ("articles", "stories", "events", "assignments")
FORMATS = ("jsonl", "csv", "parquet")
_STEP = 1000
_PIECE = 65_536


def export(connection: Connection, what: str, format: str = "jsonl") -> Iterator[bytes]:  # noqa: A002 - what it is called everywhere
    """Return the bytes of a file, piece by piece, as the data format describes it."""
    if what not in EXPORTS:
        raise ConfigError(f"what can be exported is {', '.join(EXPORTS)}; got {what!r}")
    if format not in FORMATS:
        raise ConfigError(f"exports are {', '.join(FORMATS)}; got {format!r}")
    records = _RECORDS[what](connection)
    if format == "jsonl":
        return (_json(record).encode() + b"\n" for record in records)
    if format == "csv":
        return _csv(records, _FIELDS[what])
    return _parquet(records, what)


_FIELDS = {
    "articles": [
        "id",
        "published_at",
        "title",
        "text",
        "lang",
        "source",
        "url",
        "authors",
        "fetched_at",
        "story",
        "how",
        "confidence",
        "copy_of",
        "claimed_at",
        "date_flag",
    ],
    "stories": [
        "id",
        "status",
        "headline",
        "keywords",
        "articles",
        "sources",
        "first_seen",
        "last_seen",
        "days",
        "heat",
        "lang",
        "merged_into",
        "split_from",
    ],
    "events": ["id", "kind", "story", "at", "articles", "details"],
    "assignments": ["slide_end", "article", "story", "similarity", "confidence"],
}
_NUMBERS = {
    "articles": {"confidence": "float64"},
    "stories": {"articles": "int64", "sources": "int64", "heat": "float64"},
    "events": {"id": "int64"},
    "assignments": {"similarity": "float64", "confidence": "float64"},
}


def _articles(connection: Connection) -> Iterator[dict[str, Any]]:
    newest = and_(
        revisions.c.article == articles.c.id,
        revisions.c.number == articles.c.edits + 1,
    )
    query = select(articles, revisions.c.text).join(revisions, newest)
    for row in _rows(connection, query.order_by(articles.c.seq)):
        yield {name: row[name] for name in _FIELDS["articles"]}


def _stories(connection: Connection) -> Iterator[dict[str, Any]]:
    for row in _rows(connection, select(stories).order_by(stories.c.number)):
        query = select(story_days.c.day, story_days.c.articles)
        here = query.where(story_days.c.story == row["id"]).order_by(story_days.c.day)
        days = {
            (EPOCH + timedelta(days=day)).date().isoformat(): count
            for day, count in connection.execute(here)
        }
        whole = {**row, "days": days}
        yield {name: whole[name] for name in _FIELDS["stories"]}


def _events(connection: Connection) -> Iterator[dict[str, Any]]:
    for row in _rows(connection, select(events).order_by(events.c.id)):
        yield {name: row[name] for name in _FIELDS["events"]}


def _assignments(connection: Connection) -> Iterator[dict[str, Any]]:
    done = select(func.max(slides.c.end)).where(slides.c.status == "done")
    end = connection.execute(done).scalar_one()
    query = select(articles).where(articles.c.waiting.is_(False))
    for row in _rows(connection, query.order_by(articles.c.seq)):
        yield {
            "slide_end": _plain(end),
            "article": row["id"],
            "story": row["story"],
            "similarity": row["confidence"],
            "confidence": row["confidence"],
        }


_RECORDS = {
    "articles": _articles,
    "stories": _stories,
    "events": _events,
    "assignments": _assignments,
}


def _rows(connection: Connection, query: Select[Any]) -> Iterator[dict[str, Any]]:
    streamed = connection.execute(query, execution_options={"yield_per": _STEP})
    for found in streamed.mappings():
        yield {str(name): _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:  # noqa: ANN401 - any column's value
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value


def _json(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False)


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record without lists and objects: they become JSON text."""
    flat = (list, dict)
    return {n: _json(v) if isinstance(v, flat) else v for n, v in record.items()}


def _cells(record: dict[str, Any]) -> dict[str, Any]:
    return {n: defused(v) if isinstance(v, str) else v for n, v in record.items()}


def _csv(records: Iterator[dict[str, Any]], fields: list[str]) -> Iterator[bytes]:
    lines = io.StringIO()
    writer = csv.DictWriter(lines, fields)
    writer.writeheader()
    for record in records:
        writer.writerow(_cells(_flat(record)))
        yield lines.getvalue().encode()
        lines.seek(0)
        lines.truncate()
    yield lines.getvalue().encode()


def _parquet(records: Iterator[dict[str, Any]], what: str) -> Iterator[bytes]:
    try:
        import pyarrow  # noqa: PLC0415 - heavy, optional
        import pyarrow.parquet  # noqa: PLC0415 - heavy, optional
    except ImportError as error:
        raise MissingExtraError("pyarrow, which writes Parquet,", "parquet") from error
    numbers = _NUMBERS[what]
    kinds = [(name, numbers.get(name, "string")) for name in _FIELDS[what]]
    schema = pyarrow.schema(kinds)

    def pieces() -> Iterator[bytes]:
        # its index is at the end, so the file is made whole before it is sent
        with tempfile.TemporaryFile() as file:
            with pyarrow.parquet.ParquetWriter(file, schema) as writer:
                while some := list(itertools.islice(records, _STEP)):
                    flat = [_flat(record) for record in some]
                    writer.write_table(pyarrow.Table.from_pylist(flat, schema))
            file.seek(0)
            yield from iter(lambda: file.read(_PIECE), b"")

    return pieces()
