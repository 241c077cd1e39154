"""The archives that are measured are whole, and every question finds something."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ustory.store import Store
from ustory.store.listing import StoryQuery, list_stories, story
from ustory.store.mapping import RowPage
from ustory.store.upkeep import check
from ustory_bench.service.archive import compare
from ustory_bench.service.audience import audience
from ustory_bench.service.filling import fill
from ustory_bench.service.questions import questions
from ustory_bench.service.rows import story_id
from ustory_bench.service.synthetic import Synthetic

MADE = Synthetic(4_000)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = Store.open(str(tmp_path_factory.mktemp("bench") / "archive.db"))
    fill(opened, MADE, lambda line: None)
    yield opened
    opened.close()


def test_a_filled_archive_is_as_a_service_would_have_left_it(store: Store) -> None:
    assert check(store) == []
    with store.read() as connection:
        live = list_stories(connection, StoryQuery(status="live", limit=4_000)).items
        first = story(connection, story_id(0))
    assert len(live) == MADE.live == 400
    assert first is not None
    assert first.story.articles == int((MADE.story == 0).sum())


def test_equal_sizes_are_equal_archives() -> None:
    again = Synthetic(4_000)
    assert list(again.texts(40, 3)) == list(MADE.texts(40, 3))
    assert (again.story == MADE.story).all()


def test_a_full_archive_is_not_filled_again(store: Store) -> None:
    said: list[str] = []
    fill(store, MADE, said.append)
    assert said == []


def test_every_list_finds_something(store: Store) -> None:
    for question in questions():
        if question.group == "search" or "rare" in question.name:
            continue
        with store.read() as connection:
            found = question.ask(connection, MADE, 0)
        assert not isinstance(found, RowPage) or found.items, question.name


def test_archives_are_compared_question_by_question(store: Store) -> None:
    rows = compare([store, store], [MADE, MADE], rounds=1)
    assert [row["question"] for row in rows] == [one.name for one in questions()]
    assert all(row["small_ms"] > 0 and row["ratio"] > 0 for row in rows)
    assert {row["most"] for row in rows} == {1.5, 3.0}


def test_nobody_is_an_audience_too() -> None:
    with audience("http://127.0.0.1:1", 0) as heard:
        assert heard.size.value == 0
