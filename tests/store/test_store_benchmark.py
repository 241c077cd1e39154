"""The archives that are measured are whole, and every question finds something."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ustory.core.errors import StateError
from ustory.service.clock import StreamClock
from ustory.service.loop import Loop
from ustory.service.settings import settings_of
from ustory.store import Store
from ustory.store.listing import StoryQuery, list_stories, story
from ustory.store.mapping import RowPage
from ustory.store.slides import last_done, waiting_articles
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder
from ustory_bench.service.archive import compare
from ustory_bench.service.audience import audience
from ustory_bench.service.filling import fill
from ustory_bench.service.questions import questions
from ustory_bench.service.rows import story_id
from ustory_bench.service.synthetic import Synthetic

MADE = Synthetic(4_000, most_live=150, window=300)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = Store.open(str(tmp_path_factory.mktemp("bench") / "archive.db"))
    fill(opened, MADE, lambda line: None, encoder=TinyEncoder())
    yield opened
    opened.close()


def test_a_filled_archive_is_as_a_service_would_have_left_it(store: Store) -> None:
    assert check(store) == []
    with store.read() as connection:
        live = list_stories(connection, StoryQuery(status="live", limit=4_000)).items
        first = story(connection, story_id(0))
    assert len(live) == MADE.live == 150
    assert first is not None
    assert first.story.articles == int((MADE.story == 0).sum())


def test_half_of_the_articles_are_in_no_story_and_a_few_stories_are_large(
    store: Store,
) -> None:
    told = MADE.story[: MADE.told]
    assert 0.45 < (told < 0).mean() < 0.55
    with store.read() as connection:
        page = list_stories(connection, StoryQuery(sort="size", limit=400)).items
    sizes = [row.articles for row in page]
    assert sizes[0] > 10 * sizes[len(sizes) // 2]


def test_a_merged_story_leads_to_the_one_it_is_part_of(store: Store) -> None:
    with store.read() as connection:
        found = story(connection, story_id(7))
    assert found is not None
    assert (found.chain, found.story.id) == ((story_id(7),), story_id(6))


def test_a_service_that_opens_an_archive_computes_nothing_again(store: Store) -> None:
    settings = settings_of(store)
    assert settings is not None
    loop = Loop(store, settings, TinyEncoder(), StreamClock())
    loop.runner.run = None  # type: ignore[method-assign,assignment]
    loop.start()
    with store.read() as connection:
        last = last_done(connection)
        assert waiting_articles(connection) == 0
    assert last is not None
    assert loop.slide == last.number == int(MADE.slide[-1])
    assert len(loop.state.records) == MADE.articles - MADE.told


def test_equal_sizes_are_equal_archives_and_another_seed_is_another() -> None:
    again = Synthetic(4_000, most_live=150, window=300)
    other = Synthetic(4_000, most_live=150, seed=1, window=300)
    assert list(again.texts(40, 3)) == list(MADE.texts(40, 3))
    assert (again.story == MADE.story).all()
    assert list(other.texts(40, 3)) != list(MADE.texts(40, 3))


def test_a_full_archive_is_not_filled_again(store: Store) -> None:
    said: list[str] = []
    fill(store, MADE, said.append)
    assert said == []
    with pytest.raises(StateError, match="give a new database"):
        fill(store, Synthetic(5_000), said.append)


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
