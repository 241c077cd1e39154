"""Retention lets go of what is old, and never of what a replay would need."""

from __future__ import annotations

import pytest

from tests.store.builders import MINUTE, START, edit_row, fill, take_in
from ustory.store import Store
from ustory.store.articles import (
    add_revisions,
    article,
    newest_revision,
    next_seq,
    revisions_of,
)
from ustory.store.forget import forget_articles, forget_texts
from ustory.store.listing import search_articles, story
from ustory.store.results import decisions_of, write_decisions
from ustory.store.tables import DecisionRow
from ustory.store.upkeep import check

LATER = START + 1000 * MINUTE


@pytest.fixture
def full(store: Store) -> Store:
    fill(store, slides=5, each=2)
    return store


def test_old_texts_go_and_titles_stay(full: Store) -> None:
    with full.write() as connection:
        assert forget_texts(connection, START + 3 * MINUTE) == 2
        assert forget_texts(connection, START + 3 * MINUTE) == 0
        text = newest_revision(connection, "a1")
        assert text is not None
        assert text.text is None
        assert text.title == "Storm number 1"
        found = article(connection, "a1")
        assert found is not None
        assert not found.text_kept
        hits = [row.seq for row in search_articles(connection, "bridge").items]
        assert hits == list(range(10, 2, -1))
        titles = search_articles(connection, '"storm number 1"').items
        assert [row.seq for row in titles] == [1]
    assert check(full) == []


def test_old_articles_go_with_all_that_was_decided(full: Store) -> None:
    with full.write() as connection:
        assert forget_texts(connection, START + 2 * MINUTE) == 1
        assert forget_articles(connection, START + 3 * MINUTE) == 2
        assert article(connection, "a1") is None
        assert revisions_of(connection, "a2") == []
        assert decisions_of(connection, "a2") == []
        assert story(connection, "s000001") is not None
        assert search_articles(connection, '"storm number 1"').items == []
    assert check(full) == []


def test_it_goes_in_steps(full: Store) -> None:
    with full.write() as connection:
        steps = [forget_articles(connection, LATER, limit=2) for _ in range(4)]
    assert steps == [2, 2, 2, 0]


def test_what_a_replay_would_need_stays(full: Store) -> None:
    """Slides 4 and 5 come after the oldest of the three snapshots."""
    with full.write() as connection:
        assert forget_texts(connection, LATER) == 6
        take_in(connection, 1)
        assert forget_texts(connection, LATER) == 0
        kept = newest_revision(connection, "a7")
        assert kept is not None
        assert kept.text is not None


def test_an_article_edited_in_a_later_slide_stays(full: Store) -> None:
    with full.write() as connection:
        add_revisions(connection, [edit_row(11, "a1", 2, 5, "a new text")])
        assert forget_texts(connection, START + 3 * MINUTE) == 1
        kept = newest_revision(connection, "a1")
        assert kept is not None
        assert kept.text == "a new text"


def test_an_article_decided_on_in_a_later_slide_stays(full: Store) -> None:
    with full.write() as connection:
        moved = DecisionRow(article="a1", slide=5, story=None, record={})
        write_decisions(connection, [moved])
        assert forget_articles(connection, START + 3 * MINUTE) == 1
        assert article(connection, "a1") is not None


def test_nothing_goes_before_the_first_snapshot(store: Store) -> None:
    with store.write() as connection:
        take_in(connection, 3)
        assert forget_texts(connection, LATER) == 0
        assert forget_articles(connection, LATER) == 0


def test_forgotten_numbers_are_never_given_again(full: Store) -> None:
    with full.write() as connection:
        forget_articles(connection, LATER)
        assert next_seq(connection) == 11
