"""Articles, stories, events and assignments as JSON Lines, CSV or Parquet.

`ustory db export` and `GET /api/export/{kind}` write the same columns with the same
writers, piece by piece: no more than a page of rows is in memory.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, Select, and_, func, select

from ustory.core.article import web_link
from ustory.core.errors import ConfigError
from ustory.core.extras import check_extra
from ustory.core.spans import EPOCH
from ustory.store.export_filters import ExportFilter, conditions, resolved
from ustory.store.mapping import chunks, load, page_after
from ustory.store.tables import (
    StoryRow,
    articles,
    events,
    revisions,
    slides,
    stories,
    story_days,
)

Row = Mapping[str, Any]
Columns = Mapping[str, type]
"""Names and types: str, int, float, datetime, list (of texts) or dict (any JSON)."""
Reading = Callable[[], AbstractContextManager[Connection]]

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters of a formula in some spreadsheet, full-width forms included."""
_ROWS_PER_PIECE = 1_000


class Export(NamedTuple):
    """What can be exported: its columns, and how its rows are read."""

    columns: Columns
    query: Select[Any]
    key: Column[Any]
    """Unique and selected; rows are read page by page in its order."""
    complete: Callable[[Connection, list[dict[str, Any]]], None] | None = None
    """Adds the columns that the query does not select to a page of rows."""


def export(
    read: Reading,
    what: str,
    format: str = "jsonl",  # noqa: A002 - what it is called everywhere
    wanted: ExportFilter | None = None,
) -> Iterator[bytes]:
    """Return the bytes of a file with the rows that are wanted, piece by piece.

    Each page of rows is read inside one `read()`: `store.read` keeps no transaction
    open while a slow client downloads; `lambda: nullcontext(connection)` reads all
    pages from one consistent view.
    """
    if what not in EXPORTS:
        raise ConfigError(f"what can be exported is {', '.join(EXPORTS)}; got {what!r}")
    if format not in FORMATS:
        raise ConfigError(f"exports are {', '.join(FORMATS)}; got {format!r}")
    if format == "parquet":
        check_extra("pyarrow", "pyarrow, which writes Parquet,", "parquet")
    wanted = wanted or ExportFilter()
    conditions(what, wanted)  # refused before anything is read
    with read() as connection:
        wanted = resolved(connection, what, wanted)
    chosen = EXPORTS[what]
    query = chosen.query.where(*conditions(what, wanted))
    chosen = chosen._replace(query=query)
    return FORMATS[format].write(chosen.columns, _rows(read, chosen, wanted.numbers))


def _rows(read: Reading, what: Export, numbers: Sequence[int] | None) -> Iterator[Row]:
    if numbers is None:
        yield from _all_rows(read, what)
        return
    for some in chunks(sorted(numbers)):
        yield from _all_rows(
            read, what._replace(query=what.query.where(what.key.in_(some)))
        )


def _all_rows(read: Reading, what: Export) -> Iterator[Row]:
    after: Any = None
    while True:
        with read() as connection:
            found = page_after(connection, what.query, [what.key], after)
            rows = [dict(row._mapping) for row in found]
            if what.complete is not None:
                what.complete(connection, rows)
        if not rows:
            return
        yield from rows
        after = found[-1]


def defused(text: str) -> str:
    """Return text for a CSV cell; one that would be a formula gets an apostrophe.

    >>> defused("=HYPERLINK(1)"), defused("plain")
    ("'=HYPERLINK(1)", 'plain')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def json_lines(columns: Columns, rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the rows as JSON, one on a line."""
    for some in _batches(rows):
        lines = [_json({c: _plain(row[c]) for c in columns}) for row in some]
        yield ("\n".join(lines) + "\n").encode(errors="replace")


def csv_rows(columns: Columns, rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the rows as CSV; text that would be a formula gets an apostrophe."""
    yield _csv([list(columns)])
    for some in _batches(rows):
        yield _csv([[_cell(row[name]) for name in columns] for row in some])


def parquet_rows(columns: Columns, rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the rows as a Parquet file, group by group; objects are JSON text."""
    import pyarrow as pa  # noqa: PLC0415 - heavy, optional
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy, optional

    out = _Buffer()
    kinds = {
        str: pa.string(), int: pa.int64(), float: pa.float64(), dict: pa.string(),
        datetime: pa.timestamp("us", "UTC"), list: pa.list_(pa.string()),
    }  # fmt: skip
    schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
    with pq.ParquetWriter(out, schema) as writer:
        for some in _batches(rows):
            table = [
                pa.array(
                    [_json(row[name]) if kind is dict else row[name] for row in some],
                    kinds[kind],
                )
                for name, kind in columns.items()
            ]
            writer.write_table(pa.table(table, schema=schema))
            yield out.take()
    yield out.take()


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while some := list(islice(iterator, _ROWS_PER_PIECE)):
        yield some


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _cell(value: object) -> object:
    """Return a value as a cell that no spreadsheet runs."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, list | tuple):
        value = "; ".join(str(each) for each in value)
    if isinstance(value, dict):
        value = _json(value)
    return defused("" if value is None else str(_plain(value)))


def _csv(rows: Iterable[Iterable[object]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode(errors="replace")


class _Buffer(io.RawIOBase):
    """A file in memory that is emptied while it is written. Mutable."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any buffer
        piece = bytes(data)
        self._pieces.append(piece)
        self._written += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._written

    def take(self) -> bytes:
        """Return and remove what was written since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _complete_articles(connection: Connection, rows: list[dict[str, Any]]) -> None:
    del connection
    for row in rows:
        row["url"] = web_link(row["url"])


def _complete_stories(connection: Connection, rows: list[dict[str, Any]]) -> None:
    days: dict[str, dict[str, int]] = {row["id"]: {} for row in rows}
    for some in chunks(days):
        query = select(story_days).where(story_days.c.story.in_(some))
        for row in connection.execute(query.order_by(story_days.c.day)):
            date = (EPOCH + timedelta(days=row.day)).date().isoformat()
            days[row.story][date] = row.articles
    for each in rows:
        each["days"] = days[each["id"]]
        told = load(StoryRow, each).in_languages
        each["languages"] = {one.lang: one.articles for one in told}
        each["headlines"] = {one.lang: one.headline for one in told if one.headline}


def _complete_assignments(connection: Connection, rows: list[dict[str, Any]]) -> None:
    done = select(func.max(slides.c.end)).where(slides.c.status == "done")
    end = connection.execute(done).scalar_one()
    for row in rows:
        row["slide_end"] = end


_ARTICLES: Columns = {
    "id": str, "published_at": datetime, "title": str, "text": str, "lang": str,
    "source": str, "url": str, "authors": list, "fetched_at": datetime, "story": str,
    "how": str, "confidence": float, "copy_of": str, "claimed_at": datetime,
    "date_flag": str, "edits": int,
}  # fmt: skip
_STORIES: Columns = {
    "id": str, "status": str, "headline": str, "keywords": list, "articles": int,
    "sources": int, "first_seen": datetime, "last_seen": datetime, "days": dict,
    "heat": float, "lang": str, "merged_into": str, "split_from": str, "inside": int,
    "born_at": datetime, "top_sources": list, "languages": dict, "headlines": dict,
}  # fmt: skip
_EVENTS: Columns = {
    "id": int, "kind": str, "story": str, "at": datetime, "articles": list,
    "details": dict, "slide": int,
}  # fmt: skip
_ASSIGNMENTS: Columns = {
    "slide_end": datetime, "article": str, "story": str, "similarity": float,
    "confidence": float,
}  # fmt: skip
_newest = and_(
    revisions.c.article == articles.c.id, revisions.c.number == articles.c.edits + 1
)
_texts = select(articles, revisions.c.text).join(revisions, _newest)
_assigned = select(
    articles.c.seq,
    articles.c.id.label("article"),
    articles.c.story,
    articles.c.confidence.label("similarity"),
    articles.c.confidence,
).where(articles.c.waiting.is_(False))
EXPORTS: Mapping[str, Export] = {
    "articles": Export(_ARTICLES, _texts, articles.c.seq, _complete_articles),
    "stories": Export(_STORIES, select(stories), stories.c.number, _complete_stories),
    "events": Export(_EVENTS, select(events), events.c.id),
    "assignments": Export(
        _ASSIGNMENTS, _assigned, articles.c.seq, _complete_assignments
    ),
}
"""What can be exported, by name."""


class Format(NamedTuple):
    """A file format: its media type, and what writes it."""

    media_type: str
    write: Callable[[Columns, Iterable[Row]], Iterator[bytes]]


FORMATS: Mapping[str, Format] = {
    "jsonl": Format("application/x-ndjson", json_lines),
    "csv": Format("text/csv", csv_rows),
    "parquet": Format("application/vnd.apache.parquet", parquet_rows),
}
"""The formats by name."""
