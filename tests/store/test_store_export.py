"""What is exported is what is there, in the words of the data format."""

from __future__ import annotations

import csv
import io
import json
from contextlib import nullcontext
from datetime import datetime

import pytest

from tests.store.builders import START, edit_row, fill
from ustory.core.errors import ConfigError
from ustory.store import Store, mapping
from ustory.store.articles import add_revisions
from ustory.store.export import EXPORTS, FORMATS, export

pyarrow = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")


def exported(store: Store, what: str, kind: str) -> bytes:
    with store.read() as connection:
        return b"".join(export(lambda: nullcontext(connection), what, kind))


def lines(store: Store, what: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in exported(store, what, "jsonl").splitlines()]


def _json_value(value: object) -> object:
    return value.isoformat()[:-6] + "Z" if isinstance(value, datetime) else value


def test_articles_come_with_their_newest_text_and_story(store: Store) -> None:
    fill(store, slides=1)
    with store.write() as connection:
        add_revisions(connection, [edit_row(5, "a2", 2, 2, "édité")])
    found = lines(store, "articles")
    assert [record["id"] for record in found] == ["a1", "a2", "a3", "a4"]
    assert found[1]["text"] == "édité"
    assert found[0] == {
        "id": "a1",
        "published_at": "2024-03-01T00:01:00Z",
        "title": "Storm number 1",
        "text": "The bridge is shut.",
        "lang": "en",
        "source": "Harbour Post",
        "url": None,
        "authors": ["R. Vane"],
        "fetched_at": "2024-03-01T00:01:00Z",
        "story": "s000001",
        "how": "seeded",
        "confidence": 0.75,
        "copy_of": None,
        "claimed_at": None,
        "date_flag": None,
        "edits": 0,
    }


def test_stories_events_and_assignments_are_exported(store: Store) -> None:
    fill(store, slides=2)
    story = lines(store, "stories")[1]
    assert (story["id"], story["days"]) == ("s000002", {"2024-03-01": 4})
    event = lines(store, "events")[0]
    assert (event["kind"], event["at"]) == ("born", START.isoformat()[:-6] + "Z")
    assert event["articles"] == ["a1", "a2", "a3", "a4"]
    assignment = lines(store, "assignments")[0]
    assert assignment == {
        "slide_end": "2024-03-01T00:09:00Z",
        "article": "a1",
        "story": "s000001",
        "similarity": 0.75,
        "confidence": 0.75,
    }


@pytest.mark.parametrize("what", EXPORTS)
def test_every_format_holds_the_same_records(store: Store, what: str) -> None:
    fill(store, slides=2)
    plain = lines(store, what)
    text = exported(store, what, "csv").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    table = pyarrow.read_table(io.BytesIO(exported(store, what, "parquet")))
    assert len(rows) == len(plain) == table.num_rows
    assert list(rows[0]) == list(plain[0]) == table.column_names
    first = next(iter(plain[0]))
    assert [row[first] for row in rows] == [str(record[first]) for record in plain]
    held = [_json_value(value) for value in table.column(first).to_pylist()]
    assert held == [record[first] for record in plain]


@pytest.mark.parametrize("kind", FORMATS)
def test_an_empty_archive_can_be_exported(store: Store, kind: str) -> None:
    for what in EXPORTS:
        assert isinstance(exported(store, what, kind), bytes)


def test_what_cannot_be_exported_is_refused_in_words(store: Store) -> None:
    with pytest.raises(ConfigError, match="articles, stories, events"):
        export(store.read, "secrets")
    with pytest.raises(ConfigError, match="jsonl, csv, parquet"):
        export(store.read, "articles", "xlsx")


def test_pages_of_an_export_are_read_one_after_another(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, slides=3)
    whole = {what: exported(store, what, "jsonl") for what in EXPORTS}
    monkeypatch.setattr(mapping, "PAGE", 5)

    for what in EXPORTS:
        assert b"".join(export(store.read, what)) == whole[what]
