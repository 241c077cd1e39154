"""Articles are found by what they are, edited in place, and read with their texts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from tests.store.builders import (
    MINUTE,
    START,
    article_row,
    decide,
    edit_row,
    fill,
    revision_row,
    take_in,
)
from ustory.store import Store
from ustory.store.articles import (
    add_revisions,
    article,
    articles_by_id,
    articles_of_story,
    find_known,
    insert_articles,
    newest_revision,
    next_seq,
    revisions_of,
    texts_of_slide,
)
from ustory.store.listing import search_articles
from ustory.store.slides import close_slide, start_slide


def test_an_article_comes_back_as_it_went_in(store: Store) -> None:
    whole = article_row(
        1,
        title="Él puente \N{BRIDGE AT NIGHT}",
        claimed_at=START - MINUTE,
        date_flag="future",
        url="https://news.example/1?utm=x",
        origin="feed",
        confidence=0.1 + 0.2,
        copy_of="a0",
        how="moved",
        waiting=False,
    )
    with store.write() as connection:
        insert_articles(connection, [whole])
        add_revisions(connection, [revision_row(whole)])
    with store.read() as connection:
        assert article(connection, "a1") == whole
        assert revisions_of(connection, "a1") == [revision_row(whole)]
        assert article(connection, "a2") is None
        assert newest_revision(connection, "a2") is None


def test_what_no_database_can_hold_is_replaced_on_both(store: Store) -> None:
    row = article_row(1, id="nul\0", title="half \ud800 pair")
    with store.write() as connection:
        insert_articles(connection, [row])
        add_revisions(connection, [revision_row(row, "a\0b")])
    with store.read() as connection:
        found = article(connection, "nul\0")
        assert found is not None
        assert found.id == "nul\N{REPLACEMENT CHARACTER}"
        assert found.title.startswith("half \N{REPLACEMENT CHARACTER}")
        text = newest_revision(connection, "nul\0")
        assert text is not None
        assert text.text == "a\N{REPLACEMENT CHARACTER}b"


def test_known_articles_are_found_by_address_content_and_id(store: Store) -> None:
    with store.write() as connection:
        take_in(connection, 3)
        twin = article_row(4, 1, fingerprint="f1", address=None)
        insert_articles(connection, [twin])
        known = find_known(
            connection,
            ["https://news.example/2", "https://news.example/9"],
            ["f1", "f3", "f9"],
            ["a2", "b"],
        )
    assert {name: row.id for name, row in known.addresses.items()} == {
        "https://news.example/2": "a2"
    }
    assert {name: row.id for name, row in known.fingerprints.items()} == {
        "f1": "a1",
        "f3": "a3",
    }
    assert set(known.ids) == {"a2"}


def test_more_names_than_one_statement_holds_are_found(store: Store) -> None:
    with store.write() as connection:
        take_in(connection, 1200)
        found = articles_by_id(connection, [f"a{n}" for n in range(1, 1300)])
    assert len(found) == 1200


def test_two_articles_cannot_have_one_address(store: Store) -> None:
    rows = [article_row(1), article_row(2, address="https://news.example/1")]
    with pytest.raises(IntegrityError), store.write() as connection:
        insert_articles(connection, rows)


def test_intake_numbers_go_on_where_slides_ended(store: Store) -> None:
    with store.write() as connection:
        assert next_seq(connection) == 1
        take_in(connection, 3)
        assert next_seq(connection) == 4
        start_slide(connection, START, START + MINUTE, 4)
        close_slide(connection, 2, 3)
        assert next_seq(connection) == 4


def test_an_edit_is_a_new_text_of_the_same_article(store: Store) -> None:
    with store.write() as connection:
        rows = take_in(connection, 2, ["the old bridge"])
        add_revisions(connection, [edit_row(3, "a1", 2, 2, "a new tunnel")])
    with store.read() as connection:
        found = article(connection, "a1")
        assert found == replace(rows[0], title="Edited 3", fingerprint="f3", edits=1)
        assert [one.number for one in revisions_of(connection, "a1")] == [1, 2]
        assert [one.id for one in search_articles(connection, "tunnel").items] == ["a1"]
        assert [one.id for one in search_articles(connection, "bridge").items] == ["a2"]
        assert find_known(connection, fingerprints=["f1"]).fingerprints == {}


def test_a_slide_reads_the_texts_as_they_were_at_its_end(store: Store) -> None:
    with store.write() as connection:
        rows = take_in(connection, 2)
        add_revisions(connection, [edit_row(3, "a2", 2, 1, "edited in the slide")])
        add_revisions(connection, [edit_row(4, "a2", 3, 2, "edited after it")])
    with store.read() as connection:
        pairs = texts_of_slide(connection, 1)
        assert [one.id for one, _ in pairs] == [row.id for row in rows]
        assert [text.text for _, text in pairs] == [
            "The bridge is shut.",
            "edited in the slide",
        ]
        assert texts_of_slide(connection, 2) == []


def test_the_articles_of_a_story_come_in_pages_newest_first(store: Store) -> None:
    with store.write() as connection:
        decide(connection, take_in(connection, 7), START)
    fill(store, slides=1)
    seen: list[str] = []
    cursor = None
    with store.read() as connection:
        while True:
            page = articles_of_story(connection, "s000001", 3, cursor)
            seen += [row.id for row in page.items]
            cursor = page.cursor
            if cursor is None:
                break
    assert seen == [f"a{n}" for n in range(7, 0, -1)]
