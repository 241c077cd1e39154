"""How a story begins is told by an article that is in it still."""

from __future__ import annotations

from sqlalchemy import update

from tests.store.builders import START, edit_row, fill
from ustory.store import Store
from ustory.store.articles import add_revisions
from ustory.store.leads import LENGTH, openings, story_openings
from ustory.store.tables import articles, revisions


def test_the_central_article_of_the_last_day_tells_its_newest_text(
    store: Store,
) -> None:
    fill(store, slides=2)
    with store.write() as connection:
        add_revisions(connection, [edit_row(20, "a1", 2, 2, "é" * 3 * LENGTH)])
    with store.read() as connection:
        found = story_openings(connection, ["s000001", "s000002", "s000009"])
    assert {story: opening.article for story, opening in found.items()} == {
        "s000001": "a1",
        "s000002": "a5",
    }
    assert found["s000001"].text == "é" * LENGTH
    assert found["s000002"].text == "The bridge is shut."


def test_an_article_that_has_left_the_story_does_not_tell_it(store: Store) -> None:
    fill(store, slides=1)
    with store.write() as connection:
        gone = update(articles).where(articles.c.id == "a1")
        connection.execute(gone.values(story="s000002"))
    with store.read() as connection:
        found = story_openings(connection, ["s000001"])
    assert found["s000001"].article == "a4"


def test_texts_that_are_let_go_tell_nothing(store: Store) -> None:
    fill(store, slides=1, at=START)
    with store.write() as connection:
        connection.execute(update(articles).values(text_kept=False))
        connection.execute(update(revisions).values(text=None))
    with store.read() as connection:
        assert story_openings(connection, ["s000001"]) == {}
        assert openings(connection, ["a1", "a2"]) == {}
