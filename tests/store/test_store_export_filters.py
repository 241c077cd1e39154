"""An export has the rows that fit every filter, and never more."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import fields
from typing import Any

import pytest
from sqlalchemy import update

from tests.store.builders import MINUTE, START, fill
from ustory.core.errors import ConfigError
from ustory.store import Store, mapping
from ustory.store.export import EXPORTS, export
from ustory.store.export_filters import RULES, ExportFilter, UnknownStoryError
from ustory.store.tables import articles, stories

pyarrow = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
KEYS = {"articles": "id", "stories": "id", "events": "id", "assignments": "article"}
VALUES: dict[str, Any] = {
    "story": "s000001", "source": "Harbour Post", "lang": "en", "status": "live",
    "keyword": "storm", "since": START, "until": START + 99 * MINUTE,
}  # fmt: skip


@pytest.fixture
def filled(store: Store) -> Store:
    """Return an archive of three stories with four articles each, told apart."""
    fill(store, slides=3)
    with store.write() as connection:
        german = articles.c.seq.in_([2, 6])
        change = update(articles).where(german)
        connection.execute(change.values(lang="de", source="Hafenpost"))
        gone = update(stories).where(stories.c.id == "s000003")
        connection.execute(gone.values(status="merged", merged_into="s000002"))
        moved = update(articles).where(articles.c.story == "s000003")
        connection.execute(moved.values(story="s000002"))
    return store


def found(store: Store, what: str, **wanted: Any) -> list[Any]:  # noqa: ANN401 - JSON
    pieces = export(store.read, what, "jsonl", ExportFilter(**wanted))
    return [json.loads(line)[KEYS[what]] for line in b"".join(pieces).splitlines()]


@pytest.mark.parametrize(
    ("what", "wanted", "ids"),
    [
        ("articles", {"story": "s000001"}, "a1 a2 a3 a4"),
        ("articles", {"lang": "de"}, "a2 a6"),
        ("articles", {"source": "Hafenpost", "story": "s000002"}, "a6"),
        ("articles", {"since": START + 10 * MINUTE}, "a10 a11 a12"),
        ("articles", {"until": START + 3 * MINUTE}, "a1 a2"),
        ("articles", {"since": START + 4 * MINUTE, "until": START + 6 * MINUTE},
         "a4 a5"),
        ("articles", {"lang": "fr"}, ""),
        ("articles", {"numbers": [12, 3, 3, 99]}, "a3 a12"),
        ("articles", {"numbers": []}, ""),
        ("articles", {"numbers": [1, 2, 6], "lang": "de"}, "a2 a6"),
        ("stories", {"story": "s000002"}, "s000002"),
        ("stories", {"status": "merged"}, "s000003"),
        ("stories", {"keyword": "word2"}, "s000002"),
        ("stories", {"source": "Harbour Post", "status": "live"}, "s000001 s000002"),
        ("stories", {"source": "Nobody"}, ""),
        ("stories", {"since": START + 2 * MINUTE}, "s000002 s000003"),
        ("stories", {"until": START + 2 * MINUTE, "lang": "en"}, "s000001"),
        ("stories", {"numbers": [2]}, "s000002"),
        ("assignments", {"story": "s000001", "lang": "de"}, "a2"),
    ],
)  # fmt: skip
def test_rows_fit_every_filter(
    filled: Store, what: str, wanted: dict[str, Any], ids: str
) -> None:
    assert found(filled, what, **wanted) == ids.split()


def test_events_are_chosen_by_story_and_time(filled: Store) -> None:
    (one,) = found(filled, "events", story="s000002")
    everything = found(filled, "events")

    assert one in everything
    assert found(filled, "events", since=START) == everything
    assert found(filled, "events", until=START) == []


def test_the_articles_of_a_merged_story_are_those_of_the_other(filled: Store) -> None:
    there = found(filled, "articles", story="s000002")

    assert len(there) == 8
    for what in ("articles", "assignments"):
        assert found(filled, what, story="s000003") == there
    assert found(filled, "stories", story="s000003") == ["s000003"]
    assert len(found(filled, "events", story="s000003")) == 1


@pytest.mark.parametrize("what", EXPORTS)
def test_a_story_that_there_is_not_is_refused(filled: Store, what: str) -> None:
    with pytest.raises(UnknownStoryError, match="there is no story s000009"):
        export(filled.read, what, "jsonl", ExportFilter(story="s000009"))


def test_every_filter_fits_or_is_refused(filled: Store) -> None:
    names = {each.name for each in fields(ExportFilter)} - {"numbers"}
    assert names == set(VALUES) == set().union(*RULES.values())
    for what in EXPORTS:
        whole = found(filled, what)
        for name in names:
            wanted = {name: VALUES[name]}
            if name in RULES[what]:
                assert 0 < len(found(filled, what, **wanted)) <= len(whole)
                continue
            with pytest.raises(ConfigError, match=f"{what} cannot be chosen by {name}"):
                found(filled, what, **wanted)


@pytest.mark.parametrize("what", EXPORTS)
def test_filters_hold_in_every_format(filled: Store, what: str) -> None:
    wanted = ExportFilter(story="s000001")
    plain = found(filled, what, story="s000001")
    text = b"".join(export(filled.read, what, "csv", wanted)).decode()
    file = b"".join(export(filled.read, what, "parquet", wanted))

    key = KEYS[what]
    rows = [row[key] for row in csv.DictReader(io.StringIO(text))]
    table = pyarrow.read_table(io.BytesIO(file))
    assert rows == [str(each) for each in plain]
    assert table.column(key).to_pylist() == plain


def test_many_numbers_are_read_in_pages(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapping, "PAGE", 2)
    monkeypatch.setattr(mapping, "CHUNK", 5)

    numbers = list(range(12, 1, -1))
    assert found(filled, "articles", numbers=numbers) == [f"a{n}" for n in range(2, 13)]
