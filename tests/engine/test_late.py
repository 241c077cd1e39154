"""Late articles go to their own pane; what is older than the window is counted."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.online import Engine
from ustory.engine.state import State
from ustory.stories.discovery import Discovery
from ustory.testing import TinyEncoder, tiny_slides
from ustory.testing.parts import DAY, START

PAIRS = Settings(mode="paper", min_articles=2, window=timedelta(days=3))
FLOODS = tiny_slides()[0].articles[:4]


def moved(place: int, name: str, at: datetime) -> PreparedArticle:
    """Return one of the floods as another article of another time."""
    flood = FLOODS[place]
    return replace(flood, article=replace(flood.article, id=name, published_at=at))


def after(*slides: tuple[float, list[PreparedArticle]]) -> State:
    """Return the state after slides that end so many days after the start."""
    engine = Engine(PAIRS, TinyEncoder())
    state = engine.begin()
    for days, articles in slides:
        state, _ = engine.advance(
            state, Slide(end=START + days * DAY, articles=articles)
        )
    return state


MONDAY = [moved(n, f"m{n}", START + timedelta(hours=n)) for n in range(3)]


def test_a_late_article_goes_to_the_pane_of_its_day() -> None:
    # Mon        Tue        Wed
    # |m0 m1 m2  |          |late (of Tue), fresh
    late = moved(0, "late", START + 1.5 * DAY)
    fresh = moved(1, "fresh", START + 2.5 * DAY)

    state = after((1, MONDAY), (2, []), (3, [late, fresh]))

    panes = {name: record.pane for name, record in state.records.items()}
    assert panes["late"] == panes["m0"] + 1
    assert panes["fresh"] == panes["m0"] + 2
    assert state.too_late == 0


def test_a_late_article_is_summed_up_in_its_own_pane() -> None:
    late = moved(0, "late", START + timedelta(hours=20))

    before, state = after((1, MONDAY)), after((1, MONDAY), (2, [late]))

    (story,) = state.stories.values()
    (pane,) = story.panes
    assert story.panes[pane].articles == 4
    assert before.stories[story.story].panes[pane].articles == 3
    assert state.documents.panes[pane].articles == 4


def test_a_late_article_leaves_with_its_own_day() -> None:
    late = moved(0, "late", START + timedelta(hours=20))
    slides = [(1.0, MONDAY), (2.0, []), (3.0, [late])]

    assert "late" in after(*slides).records
    assert not after(*slides, (4.0, [])).records


def test_an_article_as_old_as_the_window_is_late_and_one_that_is_older_too_late() -> (
    None
):
    # the window of three days that ends behind Thursday begins with Tuesday
    edge = moved(0, "edge", START + 1 * DAY)
    older = moved(1, "older", START + 1 * DAY - timedelta(microseconds=1))

    state = after((1, MONDAY), (4, [edge, older]))

    assert "edge" in state.records
    assert "older" not in state.records
    assert (state.too_late, state.arrivals) == (1, 5)


def test_too_late_articles_are_counted_over_the_whole_run() -> None:
    old = [moved(n, f"old{n}", START - 9 * DAY) for n in range(3)]

    state = after((1, MONDAY), (2, old[:2]), (3, []), (4, old[2:]))

    assert state.too_late == 3
    assert state.next_story == 2


def test_a_too_late_article_changes_nothing_but_the_counts() -> None:
    old = moved(3, "old", START - 9 * DAY)

    with_it, without = after((1, [*MONDAY, old])), after((1, MONDAY))

    assert with_it.records.keys() == without.records.keys()
    assert list(with_it.vocabulary.words) == list(without.vocabulary.words)
    assert (with_it.too_late, without.too_late) == (1, 0)


def test_a_too_late_article_has_no_decision() -> None:
    discovery = Discovery(PAIRS, encoder=TinyEncoder())
    old = moved(3, "old", START - 9 * DAY)
    list(discovery.add([p.article for p in [*MONDAY, old]]))
    list(discovery.finish())

    assert discovery.decision("old") is None
    assert discovery.decision("m0") is not None
    assert discovery.state.too_late == 1


def test_no_article_is_late_in_a_window_by_number() -> None:
    engine = Engine(
        Settings(mode="paper", window=6, slide=3, min_articles=2), TinyEncoder()
    )
    old = [moved(n, f"old{n}", START - 900 * DAY) for n in range(3)]
    state, _ = engine.advance(engine.begin(), Slide(end=START + DAY, articles=MONDAY))
    state, _ = engine.advance(state, Slide(end=START + 2 * DAY, articles=old))

    assert state.too_late == 0
    assert set(state.records) == {"m0", "m1", "m2", "old0", "old1", "old2"}


@budget(max_examples=25, deadline=None)
@given(hours=st.lists(st.integers(-100, 119), min_size=1, max_size=12))
def test_every_article_is_in_its_pane_or_counted(hours: list[int]) -> None:
    articles = [
        moved(n % 4, f"a{n:02}", START + timedelta(hours=hour))
        for n, hour in enumerate(hours)
    ]

    state = after((1, MONDAY), (5, articles))

    inside = {
        a.article.id for a in articles if a.article.published_at >= START + 2 * DAY
    }
    assert set(state.records) == inside
    assert state.too_late == len(articles) - len(inside)
    first = (START + 2 * DAY - datetime.fromtimestamp(0, START.tzinfo)).days
    for record in state.records.values():
        assert record.pane == first + (record.published_at - START - 2 * DAY).days


@pytest.mark.parametrize("hours", [25, 240])
def test_an_article_from_the_future_is_of_the_newest_pane(hours: int) -> None:
    early = moved(3, "early", START + timedelta(hours=hours))

    state = after((1, [*MONDAY, early]))

    assert state.records["early"].pane == state.records["m0"].pane
