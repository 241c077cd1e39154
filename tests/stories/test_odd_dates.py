"""An article with an odd date joins its story, and costs no other story anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.engine.correcting import CUP, QUAKE
from tests.stories.test_corrections import told
from ustory import Article, Discovery, Event, Settings
from ustory.testing.parts import TinyEncoder

HOUR = timedelta(hours=1)
TOLD = [
    *(told(f"q{n}", text, 6 + 4 * n) for n, text in enumerate(QUAKE)),
    *(told(f"c{n}", text, 8 + 4 * n) for n, text in enumerate(CUP)),
    *(told(f"qq{n}", text, 32 + 4 * n) for n, text in enumerate(QUAKE)),
    *(told(f"cc{n}", text, 34 + 4 * n) for n, text in enumerate(CUP)),
]
NEWS = sorted(TOLD, key=lambda article: article.published_at)
PLACE = next(n for n, article in enumerate(NEWS) if article.id == "qq1")
RIGHT = NEWS[PLACE].published_at
ODD = {
    "1970": datetime(1970, 1, 1, tzinfo=UTC),
    "the second of 1970": datetime(1970, 1, 2, tzinfo=UTC),
    "2099": datetime(2099, 3, 5, tzinfo=UTC),
    "a day ahead": RIGHT + timedelta(days=1),
    "a year ahead": RIGHT.replace(year=2025),
    "a year behind": RIGHT.replace(year=2023),
    "a month ahead": RIGHT + timedelta(days=31),
    "half a day ahead": RIGHT + 12 * HOUR,
    "half a day behind": RIGHT - 12 * HOUR,
}


def ran(
    news: Sequence[Article], slide: str = "1d"
) -> tuple[Discovery, list[Event], dict[str, str | None]]:
    """Return a finished run, its events, and the story of each article."""
    settings = Settings(encoder="tiny").with_({"slide": slide})
    found = Discovery(settings, encoder=TinyEncoder())
    results = [*found.add(news), *found.finish()]
    events = [event for result in results for event in result.events]
    return found, events, dict(found.engine.assignments(found.state))


def grouped(placed: dict[str, str | None]) -> set[frozenset[str]]:
    held: dict[str | None, set[str]] = {}
    for article, story in placed.items():
        held.setdefault(story, set()).add(article)
    return {frozenset(articles) for articles in held.values()}


def redated(moment: datetime) -> list[Article]:
    """Return the news with one article in its place, but with another date."""
    odd = replace(NEWS[PLACE], published_at=moment)
    return [*NEWS[:PLACE], odd, *NEWS[PLACE + 1 :]]


@pytest.mark.parametrize("slide", ["1d", "6h", "1h"])
@pytest.mark.parametrize("name", ODD)
def test_an_odd_date_costs_no_story_anything(name: str, slide: str) -> None:
    _, expected_events, expected = ran(NEWS, slide)
    assert len(grouped(expected)) == 2

    found, events, placed = ran(redated(ODD[name]), slide)

    assert grouped(placed) == grouped(expected)
    assert found.too_late == 0
    assert len(found.state.records) == len(NEWS)
    kinds = {event.kind.value for event in events}
    assert kinds == {event.kind.value for event in expected_events} == {"born", "grew"}


def test_dates_that_are_days_cost_no_story_anything() -> None:
    days = [
        replace(each, published_at=each.published_at.replace(hour=0)) for each in NEWS
    ]

    for slide in ("1d", "1h"):
        _, events, placed = ran(days, slide)
        assert grouped(placed) == grouped(ran(NEWS, slide)[2])
        assert {event.kind.value for event in events} == {"born", "grew"}


@pytest.mark.parametrize("name", ["2099", "a year ahead", "1970"])
def test_the_first_article_may_have_the_odd_date(name: str) -> None:
    news = [replace(NEWS[0], published_at=ODD[name]), *NEWS[1:]]

    found, _, placed = ran(news)

    assert grouped(placed) == grouped(ran(NEWS)[2])
    assert found.redated == 1


@pytest.mark.parametrize("cut", range(PLACE, PLACE + 3))
def test_a_run_in_two_parts_equals_one(cut: int, tmp_path: Path) -> None:
    news = redated(ODD["a year ahead"])
    whole, events, placed = ran(news)
    first = Discovery(Settings(encoder="tiny"), encoder=TinyEncoder())
    came = [event for each in first.add(news[:cut]) for event in each.events]
    first.save(tmp_path / "state")

    again, _ = Discovery.load(tmp_path / "state", encoder=TinyEncoder())
    results = [*again.add(news[cut:]), *again.finish()]

    assert [*came, *(event for each in results for event in each.events)] == events
    assert dict(again.engine.assignments(again.state)) == placed
    assert again.engine.freeze(again.state) == whole.engine.freeze(whole.state)


def test_articles_that_are_just_late_stay_late() -> None:
    late = replace(NEWS[PLACE], published_at=RIGHT - timedelta(days=40))

    found, _, placed = ran([*NEWS[:PLACE], late, *NEWS[PLACE + 1 :]])

    assert found.too_late == 1
    assert found.redated == 0
    assert late.id not in placed
