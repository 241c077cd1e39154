"""What a slide decides is kept as one, and stories are replaced as they change."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from tests.store.builders import MINUTE, START, fill, story_row, take_in
from ustory.store import Store
from ustory.store.articles import article
from ustory.store.listing import (
    StoryQuery,
    days_of_story,
    list_stories,
    sources_of_story,
    story,
)
from ustory.store.results import (
    Placement,
    decisions_of,
    decisions_of_slide,
    events_after,
    events_of_story,
    last_event,
    place_articles,
    write_decisions,
    write_events,
    write_stories,
)
from ustory.store.tables import DecisionRow, EventRow, StoryDay


def event(kind: str, story_id: str = "s000001", slide: int = 1) -> EventRow:
    return EventRow(
        id=0,
        slide=slide,
        at=START,
        kind=kind,
        story=story_id,
        articles=("a1", "a2"),
        details={"into": "s000002"},
    )


def test_decisions_are_kept_for_every_slide_newest_first(store: Store) -> None:
    rows = [
        DecisionRow(
            article="a1",
            slide=n,
            story=f"s{n}",
            record={"how": "moved", "odds": 0.1 * n},
        )
        for n in (1, 2, 3)
    ]
    with store.write() as connection:
        write_decisions(connection, rows)
    with store.read() as connection:
        assert decisions_of(connection, "a1") == rows[::-1]
        assert decisions_of_slide(connection, 2) == [rows[1]]
    with pytest.raises(IntegrityError), store.write() as connection:
        write_decisions(connection, rows[:1])


def test_numbers_that_are_not_finite_are_null(store: Store) -> None:
    record = {"log_odds": math.inf, "inner": [math.nan, 1.5], "how": "waiting"}
    with store.write() as connection:
        row = DecisionRow(article="a1", slide=1, story=None, record=record)
        write_decisions(connection, [row])
        [found] = decisions_of(connection, "a1")
    assert found.record == {"log_odds": None, "inner": [None, 1.5], "how": "waiting"}


def test_placed_articles_are_where_they_were_put(store: Store) -> None:
    with store.write() as connection:
        take_in(connection, 2)
        place = Placement(story="s1", how="moved", confidence=0.3, copy_of="a2")
        place_articles(connection, {"a1": place})
        place_articles(connection, {})
        found = article(connection, "a1")
        assert found is not None
        assert (found.story, found.how, found.confidence, found.copy_of) == (
            *("s1", "moved", 0.3),
            "a2",
        )
        untouched = article(connection, "a2")
        assert untouched is not None
        assert untouched.story is None


def test_a_story_is_replaced_and_keeps_its_days_and_sources(store: Store) -> None:
    first = story_row(1, keywords=("storm", "bridge"))
    days = [
        StoryDay(story=first.id, day=n, articles=n, keywords=("k",)) for n in (5, 4)
    ]
    with store.write() as connection:
        write_stories(connection, [first], days, None, {first.id: ["B", "A"]})
    later = replace(first, keywords=("storm", "tunnel"), heat=9.0, changed_slide=2)
    with store.write() as connection:
        again = [StoryDay(story=first.id, day=5, articles=50)]
        write_stories(connection, [later], again, None, {first.id: ["C"]})
    with store.read() as connection:
        found = story(connection, first.id)
        assert found is not None
        assert found.story == later
        assert [(d.day, d.articles) for d in days_of_story(connection, first.id)] == [
            (4, 4),
            (5, 50),
        ]
        assert sources_of_story(connection, first.id) == ["A", "B", "C"]

        def with_keyword(word: str) -> list[str]:
            page = list_stories(connection, StoryQuery(keyword=word))
            return [row.id for row in page.items]

        assert with_keyword("tunnel") == with_keyword("storm") == [first.id]
        assert with_keyword("bridge") == []


def test_a_story_is_found_by_its_headline_as_it_is_now(store: Store) -> None:
    with store.write() as connection:
        write_stories(connection, [story_row(1, headline="Old bridge")])
        write_stories(connection, [story_row(1, headline="New tunnel")])

        def with_text(text: str) -> list[str]:
            page = list_stories(connection, StoryQuery(text=text))
            return [row.id for row in page.items]

        assert with_text("tunnel") == ["s000001"]
        assert with_text("bridge") == []


def test_events_are_numbered_without_gaps_in_their_order(store: Store) -> None:
    with store.write() as connection:
        assert last_event(connection) == 0
        first = write_events(connection, [event("born"), event("grew")])
        write_events(connection, [event("merged", "s000002", 2)])
        assert [row.id for row in first] == [1, 2]
        assert last_event(connection) == 3
    with store.read() as connection:
        assert events_after(connection, 0, 2) == first
        assert [row.kind for row in events_after(connection, 1)] == ["grew", "merged"]
        assert [row.id for row in events_after(connection, 0, story="s000001")] == [
            1,
            2,
        ]
        kinds = events_after(connection, 0, kinds=["merged", "born"])
        assert [row.id for row in kinds] == [1, 3]
        assert events_after(connection, 0, 1, kinds=["merged", "born"])[0].id == 1
        assert events_after(connection, 3) == []


def test_the_events_of_a_story_come_newest_first(store: Store) -> None:
    with store.write() as connection:
        write_events(connection, [event(kind) for kind in ("born", "grew", "expired")])
        found = events_of_story(connection, "s000001", 2)
        assert [row.kind for row in found] == ["expired", "grew"]
        rest = events_of_story(connection, "s000001", 2, before=found[-1].id)
        assert [row.kind for row in rest] == ["born"]


def test_many_stories_at_once_are_numbered_apart(store: Store) -> None:
    with store.write() as connection:
        write_stories(connection, [story_row(n) for n in range(1, 700)])
        write_stories(connection, [story_row(n, heat=0.5) for n in range(600, 800)])
        page = list_stories(connection, StoryQuery(limit=1000))
    assert len(page.items) == 799
    assert len({row.id for row in page.items}) == 799


def test_times_keep_their_microseconds(store: Store) -> None:
    odd = START + MINUTE / 7
    with store.write() as connection:
        write_stories(connection, [story_row(1, last_seen=odd)])
        found = story(connection, "s000001")
    assert found is not None
    assert found.story.last_seen == odd


def test_the_builders_fill_a_whole_archive(store: Store) -> None:
    fill(store, slides=2, each=3)
    with store.read() as connection:
        assert last_event(connection) == 2
        assert len(decisions_of_slide(connection, 2)) == 3
