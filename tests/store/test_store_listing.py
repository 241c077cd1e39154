"""Every page follows the one before, whatever the sort and the filters."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.store.builders import MINUTE, START, fill, story_row
from ustory.core.errors import ConfigError
from ustory.store import Store
from ustory.store.listing import (
    StoryQuery,
    changes,
    list_stories,
    related,
    stories_by_id,
    story,
)
from ustory.store.query import SORTS
from ustory.store.results import write_stories
from ustory.store.slides import close_slide, start_slide
from ustory.store.tables import StoryRow

ROWS = [
    story_row(
        n,
        slide=1 + n % 5,
        status=("live", "expired", "live", "merged")[n % 4],
        heat=float(n % 3) if n % 2 == 0 else 0.0,
        articles=n % 6,
        first_seen=START + (n % 7) * MINUTE,
        last_seen=START + (7 + n % 9) * MINUTE,
        lang=("en", "de")[n % 2],
        keywords=("storm", f"odd{n % 2}", f"word{n}"),
        merged_into="s000001" if n % 4 == 3 else None,
    )
    for n in range(1, 60)
]
SOURCES = {row.id: [f"source{number % 4}"] for number, row in enumerate(ROWS)}


@pytest.fixture
def full(store: Store) -> Store:
    with store.write() as connection:
        write_stories(connection, ROWS, (), None, SOURCES)
    return store


def pages(store: Store, **given: object) -> list[StoryRow]:
    found: list[StoryRow] = []
    cursor: str | None = None
    with store.read() as connection:
        for _ in range(200):
            asked = StoryQuery(**(given | {"cursor": cursor}))  # type: ignore[arg-type]
            page = list_stories(connection, asked)
            found += page.items
            cursor = page.cursor
            if cursor is None:
                return found
    raise AssertionError("the pages have no end")


def expected(sort: str, **given: object) -> list[str]:
    def passes(row: StoryRow) -> bool:
        status = given.get("status")
        return (
            (row.status == status if status else row.status != "merged")
            and (row.last_seen >= given.get("since", row.last_seen))  # type: ignore[operator]
            and (row.first_seen < given.get("until", START + MINUTE * 99))  # type: ignore[operator]
            and given.get("keyword", "storm") in row.keywords
            and given.get("source", SOURCES[row.id][0]) in SOURCES[row.id]
            and given.get("lang", row.lang) == row.lang
        )

    rows = [row for row in ROWS if passes(row)]
    names = [name for name in SORTS[sort] if name != "relevance"]
    rows.sort(key=lambda row: [*(getattr(row, n) for n in names), row.id], reverse=True)
    return [row.id for row in rows]


FILTERS: list[dict[str, object]] = [
    {},
    {"status": "live"},
    {"status": "merged"},
    {"since": START + 12 * MINUTE},
    {"until": START + 3 * MINUTE},
    {"keyword": "odd1"},
    {"keyword": "word7"},
    {"keyword": "nothing"},
    {"source": "source2"},
    {"source": "source2", "status": "live"},
    {"source": "source1", "keyword": "odd0"},
    {"lang": "en"},
    {"lang": "de", "since": START + 10 * MINUTE, "until": START + 5 * MINUTE},
    {"keyword": "storm", "until": START + 4 * MINUTE},
    {"lang": "de", "keyword": "storm", "since": START + 9 * MINUTE},
]


def test_pages_hold_every_story_once_and_in_order(full: Store) -> None:
    for sort in SORTS:
        for given in FILTERS:
            found = pages(full, sort=sort, limit=4, **given)
            assert [row.id for row in found] == expected(sort, **given), (sort, given)


def test_a_page_holds_no_more_than_asked_for(full: Store) -> None:
    with full.read() as connection:
        assert len(list_stories(connection, StoryQuery(limit=7)).items) == 7


def ids(store: Store, **given: object) -> list[str]:
    return [row.id for row in pages(store, **given)]


def test_a_story_is_found_by_its_words_as_it_stands_now(store: Store) -> None:
    rows = [story_row(1, heat=9.0), story_row(2, heat=5.0), story_row(3, heat=1.0)]
    named = {row.id: ["Harbour Post"] for row in rows}
    with store.write() as connection:
        write_stories(connection, rows, (), None, named)
    assert ids(store, keyword="storm") == ["s000001", "s000002", "s000003"]
    later = [
        replace(rows[0], status="expired", heat=0.0),
        replace(rows[1], articles=99, last_seen=START + 99 * MINUTE),
        replace(rows[2], heat=7.0),
    ]
    with store.write() as connection:
        write_stories(connection, later)
    for given in ({"keyword": "storm"}, {"source": "Harbour Post"}):
        assert ids(store, **given) == ["s000003", "s000002", "s000001"]
        assert ids(store, status="expired", **given) == ["s000001"]
        assert ids(store, status="live", sort="size", **given) == ["s000002", "s000003"]
        assert ids(store, sort="recent", **given)[0] == "s000002"


def test_what_is_over_is_kept_without_heat(store: Store) -> None:
    rows = [story_row(1, status="expired", heat=3.0), story_row(2, heat=0.5)]
    with store.write() as connection:
        write_stories(connection, rows)
    assert [row.heat for row in pages(store)] == [0.5, 0.0]


def test_a_live_story_without_heat_is_among_those_that_are_over(store: Store) -> None:
    rows = [
        story_row(n, status=("live", "expired")[n % 2], heat=0.0) for n in range(1, 30)
    ]
    with store.write() as connection:
        write_stories(connection, rows)
    expected_order = [f"s{n:06d}" for n in range(29, 0, -1)]
    assert ids(store, limit=3) == expected_order
    assert ids(store, limit=3, keyword="storm") == expected_order


def test_a_text_finds_stories_by_headline_and_by_their_articles(store: Store) -> None:
    fill(store, slides=3)
    with store.read() as connection:
        found = list_stories(connection, StoryQuery(text="headline 2"))
        assert [row.id for row in found.items] == ["s000002"]
        found = list_stories(connection, StoryQuery(text='bridge "number 6"'))
        assert [row.id for row in found.items] == ["s000002"]
        asked = StoryQuery(text="bridge", sort="new", limit=2)
        page = list_stories(connection, asked)
        assert [row.id for row in page.items] == ["s000003", "s000002"]
        assert page.cursor is not None
        assert list_stories(connection, StoryQuery(text="!?")).items == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sort": "best"}, "sorted by heat, size, recent, new, relevance"),
        ({"status": "dead"}, "live, expired, merged"),
        ({"limit": 0}, "at least one"),
        ({"cursor": "?"}, "begin again"),
        ({"cursor": "WyJoZWF0Il0"}, "begin again"),
        ({"cursor": "é"}, "begin again"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(
    store: Store, given: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigError, match=said), store.read() as connection:
        list_stories(connection, StoryQuery(**given))  # type: ignore[arg-type]


def test_the_cursor_of_one_sort_is_not_that_of_another(full: Store) -> None:
    with full.read() as connection:
        cursor = list_stories(connection, StoryQuery(sort="new", limit=2)).cursor
        with pytest.raises(ConfigError, match="same list"):
            list_stories(connection, StoryQuery(sort="recent", cursor=cursor))


def test_a_merged_story_leads_to_what_it_is_part_of(store: Store) -> None:
    rows = [
        story_row(1, status="merged", merged_into="s000002"),
        story_row(2, status="merged", merged_into="s000003"),
        story_row(3),
        story_row(4, status="merged", merged_into="s000009"),
    ]
    with store.write() as connection:
        write_stories(connection, rows)
    with store.read() as connection:
        found = story(connection, "s000001")
        assert found is not None
        assert found.story.id == "s000003"
        assert found.chain == ("s000001", "s000002")
        plain = story(connection, "s000003")
        assert plain is not None
        assert plain.chain == ()
        assert story(connection, "s000004") is None
        assert story(connection, "nothing") is None
        assert set(stories_by_id(connection, ["s000001", "x"])) == {"s000001"}


def test_a_circle_of_merged_stories_has_an_end(store: Store) -> None:
    rows = [
        story_row(1, status="merged", merged_into="s000002"),
        story_row(2, status="merged", merged_into="s000001"),
    ]
    with store.write() as connection:
        write_stories(connection, rows)
        found = story(connection, "s000001")
    assert found is not None
    assert found.story.id == "s000002"


def test_related_stories_share_keywords_live_ones_first(store: Store) -> None:
    rows = [
        story_row(1, keywords=("a", "b", "c", "d")),
        story_row(2, keywords=("a", "b", "x")),
        story_row(3, keywords=("a", "b", "c"), status="expired"),
        story_row(4, keywords=("a", "b", "c", "d"), status="merged"),
        story_row(5, keywords=("a", "y")),
        story_row(6, keywords=("a", "b", "c")),
    ]
    with store.write() as connection:
        write_stories(connection, rows)
    with store.read() as connection:
        found = [row.id for row in related(connection, "s000001")]
        assert found == ["s000006", "s000002", "s000003"]
        assert len(related(connection, "s000001", 1)) == 1
        assert related(connection, "nothing") == []


def test_changes_since_a_slide_or_a_time_come_oldest_first(full: Store) -> None:
    hour = timedelta(hours=1)
    with full.write() as connection:
        for n in range(5):
            start_slide(connection, START + n * hour, START + (n + 1) * hour, 1)
            close_slide(connection, n + 1, 0)
    later = sorted((row.changed_slide, row.id) for row in ROWS if row.changed_slide > 2)
    with full.read() as connection:
        for since in (2, START + 2 * hour, START + 2.5 * hour):
            found: list[tuple[int, str]] = []
            cursor = None
            while True:
                page = changes(connection, since, 10, cursor)
                found += [(row.changed_slide, row.id) for row in page.items]
                cursor = page.cursor
                if cursor is None:
                    break
            assert found == later
        assert changes(connection, 5).items == []
        assert len(changes(connection, START, 1000).items) == len(ROWS)
