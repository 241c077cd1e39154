"""A check names what is wrong; a backup, put back, is the archive it was made of."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection, delete, insert, update

from tests.store.builders import START, fill, take_in
from ustory.core.errors import ConfigError, StateError
from ustory.store import Store, Unavailable
from ustory.store.feeds import all_feeds, put_feeds
from ustory.store.fulltext import ARTICLES
from ustory.store.listing import search_articles
from ustory.store.meta import put_meta
from ustory.store.slides import digest
from ustory.store.snapshots import put
from ustory.store.tables import (
    FeedRow,
    articles,
    decisions,
    events,
    revisions,
    slides,
    snapshots,
    stories,
    story_keywords,
)
from ustory.store.upkeep import archive, backup, check, restore


def of(store: Store) -> str:
    with store.read() as connection:
        return digest(connection)


SPOILED: dict[str, tuple[Callable[[Connection], object], str]] = {
    "a lost text": (
        lambda c: c.execute(delete(revisions).where(revisions.c.seq == 2)),
        "some are lost",
    ),
    "an article without a text": (
        lambda c: c.execute(delete(revisions).where(revisions.c.seq == 2)),
        "articles.id is not in revisions.article",
    ),
    "a lost article": (
        lambda c: c.execute(delete(articles).where(articles.c.id == "a2")),
        "revisions.article is not in articles.id (the first: 'a2')",
    ),
    "an article in another slide": (
        lambda c: c.execute(
            update(articles).where(articles.c.id == "a2").values(slide=2)
        ),
        "articles are not in the range of their slide",
    ),
    "a lost story": (
        lambda c: c.execute(delete(stories).where(stories.c.id == "s000001")),
        "articles.story is not in stories.id",
    ),
    "a lost slide": (
        lambda c: c.execute(delete(slides).where(slides.c.number == 2)),
        "slide 3 begins with 9; slide 2 was to begin with 5",
    ),
    "a lost event": (
        lambda c: c.execute(delete(events).where(events.c.id == 1)),
        "the newest event is number 3, but there are 2",
    ),
    "another decision": (
        lambda c: c.execute(update(decisions).values(record={"how": "moved"})),
        "3 slides decided other than their digests say: 1, 2, 3",
    ),
    "an article put elsewhere": (
        lambda c: c.execute(
            update(articles).where(articles.c.id == "a1").values(story=None)
        ),
        "1 articles are not where their newest decision puts them",
    ),
    "a damaged snapshot": (
        lambda c: c.execute(update(snapshots).values(bytes=b"?")),
        "the snapshot of slide 3 is damaged",
    ),
    "a snapshot of a slide to come": (
        lambda c: put(c, 4, 1, b"state 4", START),
        "there is a snapshot of slide 4, the last done is 3",
    ),
    "an article that still waits": (
        lambda c: c.execute(
            update(articles).where(articles.c.id == "a1").values(waiting=True)
        ),
        "1 articles wait, though their slide is done",
    ),
    "a keyword of no story": (
        lambda c: c.execute(
            insert(story_keywords).values(
                story="x",
                keyword="y",
                status="live",
                first_seen=START,
                last_seen=START,
                articles=1,
            )
        ),
        "story_keywords.story is not in stories.id",
    ),
    "a keyword that knows its story as it was": (
        lambda c: c.execute(update(story_keywords).values(articles=99)),
        "6 rows of story_keywords do not say how their stories stand",
    ),
    "heat of what is over": (
        lambda c: c.execute(update(stories).values(status="expired")),
        "3 stories have heat, and are not live",
    ),
    "a search that lost its words": (
        ARTICLES.clear,
        "the search holds 0 of 12 articles",
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_what_is_wrong_is_named(store: Store, name: str) -> None:
    spoil, said = SPOILED[name]
    fill(store)
    assert check(store) == []
    with store.write() as connection:
        spoil(connection)
    assert any(said in line for line in check(store)), check(store)


def test_an_archive_in_the_middle_of_a_slide_is_whole(store: Store) -> None:
    assert check(store) == []
    fill(store)
    with store.write() as connection:
        take_in(connection, 2)
    assert check(store) == []


def test_a_backup_put_back_is_the_archive_it_was_made_of(
    store: Store, tmp_path: Path
) -> None:
    fill(store)
    before = of(store)
    backup(store, tmp_path / "copy")
    fill(store, slides=2)
    with store.write() as connection:
        put_meta(connection, "later", 1)
    assert of(store) != before
    restore(tmp_path / "copy", store)
    assert of(store) == before
    assert check(store) == []
    fill(store, slides=1)
    assert check(store) == []
    assert [path.name for path in tmp_path.glob("copy*")] == ["copy"]


def test_an_archive_goes_from_one_database_to_the_other(
    store: Store, other: Store, tmp_path: Path
) -> None:
    fill(store)
    with store.write() as connection:
        put_feeds(connection, [FeedRow(url="https://a.example/", added_at=START)])
    archive(store, tmp_path / "first.gz")
    restore(tmp_path / "first.gz", other)
    assert of(other) == of(store)
    assert check(other) == []
    archive(other, tmp_path / "second.gz")
    first, second = (tmp_path / f"{name}.gz" for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()
    with other.read() as connection:
        assert [row.url for row in all_feeds(connection)] == ["https://a.example/"]
        assert len(search_articles(connection, "bridge").items) == 12


def test_a_damaged_archive_changes_nothing(store: Store, tmp_path: Path) -> None:
    fill(store)
    before = of(store)
    archive(store, tmp_path / "whole.gz")
    lines = gzip.decompress((tmp_path / "whole.gz").read_bytes()).splitlines(True)
    whole = (tmp_path / "whole.gz").read_bytes()
    header = json.loads(lines[0])
    damaged = {
        "cut short": whole[: len(whole) // 2],
        "a line less": gzip.compress(b"".join(lines[:4] + lines[5:])),
        "no end": gzip.compress(b"".join(lines[:-1])),
        "empty": b"",
        "not gzip": b"Dear reader",
        "not JSON": gzip.compress(b"Dear reader\n"),
        "something else": gzip.compress(b'{"format": "other"}\n'),
        "a number": gzip.compress(b"1\n2\n"),
        "newer": gzip.compress(json.dumps(header | {"schema": "9"}).encode()),
    }
    for name, content in damaged.items():
        path = tmp_path / f"{name}.gz"
        path.write_bytes(content)
        with pytest.raises(StateError, match=name):
            restore(path, store)
    assert of(store) == before
    assert check(store) == []


def test_a_damaged_copy_changes_nothing(tmp_path: Path) -> None:
    store = Store.open(str(tmp_path / "archive.db"))
    fill(store)
    before = of(store)
    backup(store, tmp_path / "copy.db")
    whole = bytearray((tmp_path / "copy.db").read_bytes())
    whole[4096 * 3 : 4096 * 6] = os.urandom(4096 * 3)
    (tmp_path / "copy.db").write_bytes(whole)
    with pytest.raises(StateError, match="damaged"):
        restore(tmp_path / "copy.db", store)
    assert of(store) == before
    store.close()


def test_a_copy_of_something_else_is_refused(store: Store, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    with pytest.raises(StateError, match=r"not a database of ustory|is not one"):
        restore(foreign, store)
    with pytest.raises(StateError, match="there is no backup"):
        restore(tmp_path / "none", store)


def test_nothing_is_restored_under_a_running_service(
    store: Store, url: str, tmp_path: Path
) -> None:
    fill(store, slides=1)
    backup(store, tmp_path / "copy")
    serving = Store.open(url)
    with serving.lock(), pytest.raises(StateError, match="another ustory serve"):
        restore(tmp_path / "copy", store)
    serving.close()


def test_a_backup_never_replaces_a_file(store: Store, tmp_path: Path) -> None:
    (tmp_path / "copy").write_text("precious")
    with pytest.raises(ConfigError, match="is there already"):
        backup(store, tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "precious"


def test_a_backup_that_cannot_be_written_is_said(store: Store, tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        backup(store, tmp_path / "none" / "copy")
