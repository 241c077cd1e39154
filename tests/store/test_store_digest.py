"""Equal runs have equal digests, on either database, whenever they were made."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Table, update

from tests.store.builders import START, fill
from ustory.store import Store
from ustory.store.slides import digest, slide, slide_digest
from ustory.store.tables import articles, decisions, events, stories


def of(store: Store) -> str:
    with store.read() as connection:
        return digest(connection)


def test_equal_runs_are_equal_on_both_databases(store: Store, other: Store) -> None:
    fill(store)
    assert of(store) != of(other)
    fill(other)
    assert of(store) == of(other)


def test_an_empty_archive_has_a_digest(store: Store) -> None:
    assert len(of(store)) == 64


@pytest.mark.parametrize(
    ("table", "change"),
    [
        (stories, {"headline": "Another"}),
        (stories, {"heat": 1.0000001}),
        (articles, {"story": "s000009"}),
        (decisions, {"record": {"how": "moved"}}),
        (events, {"kind": "grew"}),
    ],
)
def test_what_was_found_out_is_in_it(
    store: Store, table: Table, change: dict[str, object]
) -> None:
    fill(store)
    before = of(store)
    with store.write() as connection:
        connection.execute(update(table).values(**change))
    assert of(store) != before


def test_when_it_was_found_out_is_not_in_it(store: Store) -> None:
    fill(store)
    before = of(store)
    with store.write() as connection:
        late = START + timedelta(days=9)
        connection.execute(update(articles).values(fetched_at=late))
    assert of(store) == before


def test_the_digests_of_slides_are_a_chain(store: Store, other: Store) -> None:
    fill(store, slides=3)
    fill(other, slides=2)
    with store.read() as one, other.read() as two:
        for number in (1, 2):
            first, second = slide(one, number), slide(two, number)
            assert first is not None
            assert second is not None
            assert first.digest == second.digest == slide_digest(one, number)
    with store.write() as connection:
        moved = update(decisions).where(decisions.c.slide == 3)
        connection.execute(moved.values(story=None))
        third = slide(connection, 3)
        assert third is not None
        assert slide_digest(connection, 3) != third.digest
