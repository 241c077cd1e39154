"""The page of a story: one way of counting, outlets named once, and shared links."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.store.builders import START, article_row, story_row
from tests.web.conftest import GENEROUS, open_service, the_service
from tests.web.looking import Looked, look
from ustory.store.articles import insert_articles
from ustory.store.results import write_stories
from ustory.store.tables import ArticleRow, StoryDay
from ustory.web.app import create_app
from ustory.web.pages.reader_zone import ReaderZone
from ustory.web.pages.story_days import StoryDays, story_days
from ustory.web.service import Rules

STORY = "/stories/s000001"
HOUR = timedelta(hours=1)
HOSTILE = 'Quake"><script>alert(1)</script> & more'


def _row(seq: int, hours: float, **given: object) -> ArticleRow:
    at = START + hours * HOUR
    source = f"Outlet {seq % 3}"
    usual = {"story": "s000001", "published_at": at, "source": source}
    return article_row(seq, 1, **(usual | given))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """Return a service with a story of three days; the third has only copies."""
    rules = Rules(limits=GENEROUS, public_url="https://news.example/desk")
    service = open_service(tmp_path / "counts.db", rules)
    rows = [
        _row(1, 1),
        _row(2, 2),
        _row(3, 26, copy_of="a1"),
        _row(4, 27),
        _row(5, 50, copy_of="a1"),
        _row(6, 51, copy_of="a4"),
    ]
    with service.store.write() as connection:
        insert_articles(connection, rows)
        story = story_row(1, articles=6, headline=HOSTILE, last_seen=START + 51 * HOUR)
        write_stories(connection, [story])
    with TestClient(create_app(service)) as client:
        yield client
    service.store.close()


def _heads(page: Looked) -> list[str]:
    """Return the headings of groups of articles, without breaks."""
    groups = page.all("div", class_="group")
    return [" ".join(g.text.strip().split("\n")[0].split()) for g in groups]


def test_copies_count_on_their_own_day_and_are_under_their_original(
    client: TestClient,
) -> None:
    page = look(client, STORY)
    days = [" ".join(day.text.split()) for day in page.all("li", class_="day")]

    assert [day[: day.index(" Storm")] for day in days] == [
        "Sunday, 3 March 2024 2 articles, all copies",
        "Saturday, 2 March 2024 2 articles from 1 source",
        "Friday, 1 March 2024 2 articles from 2 sources",
    ]
    assert _heads(page) == [
        "Sunday, 3 March 2024 2 articles; 2 are copies, under their originals",
        "Saturday, 2 March 2024 2 articles; 1 is a copy, under its original",
        "Friday, 1 March 2024 2 articles",
    ]
    assert "6 articles in 3 days" in page.one("svg", class_="spark")["aria-label"]


def test_a_day_that_is_on_two_pages_is_counted_whole_on_both(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ustory.web.pages.story._ARTICLES", 3)
    page = look(client, STORY)
    following = page.one("a", rel="next")["href"]

    assert _heads(page)[1] == "Saturday, 2 March 2024 2 articles; 1 on this page"
    assert _heads(look(client, following))[0] == (
        "Saturday, 2 March 2024 2 articles; "
        "1 is a copy, under its original; 1 on this page"
    )
    assert _heads(look(client, f"{STORY}?by=source"))[0].endswith("on this page")


def test_by_source_names_an_outlet_once(client: TestClient) -> None:
    page = look(client, f"{STORY}?by=source")
    groups = page.all("div", class_="group")

    assert len(groups) == 3
    for group in groups:
        outlet = group.text.strip()[: len("Outlet 0")]
        assert group.text.count(outlet) == 1
    by_day = look(client, STORY).all("div", class_="group")
    assert sum(group.text.count("Outlet") for group in by_day) == 6


def test_articles_that_left_a_story_are_counted_apart(client: TestClient) -> None:
    service = the_service(client)
    with service.store.write() as connection:
        write_stories(connection, [story_row(1, articles=8, inside=2)])
    page = look(client, STORY)

    counted = next(dd.text for dd in page.all("dd"))
    assert counted == "6 (2 in the window; 8 ever)"
    about = page.one("meta", name="description")["content"]
    assert about.startswith("6 articles, ")


def test_days_whose_articles_were_let_go_of_stay_as_stored(client: TestClient) -> None:
    service = the_service(client)
    old = StoryDay(story="s000001", day=19_000, articles=7, sources=3, central="gone")
    with service.store.write() as connection:
        write_stories(connection, [story_row(1, articles=6)], [old])
        told = story_days(connection, "s000001", ReaderZone())

    assert (told.days[0].articles, told.days[0].sources) == (7, 3)
    assert told.days[0].central is None
    assert told.counts[told.days[0].day] == 7
    assert told.articles == 13
    assert len(told.every_day()) == 60  # not the two years between


def test_a_story_with_more_articles_than_are_counted_has_days_as_stored(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ustory.web.pages.story_days.MAX_COUNTED", 4)
    first = (START.date() - date(1970, 1, 1)).days
    days = [StoryDay(story="s000001", day=first, articles=2, central="a1")]
    with the_service(client).store.write() as connection:
        write_stories(connection, [story_row(1, articles=6)], days)
        told = story_days(connection, "s000001", ReaderZone())

    # of two articles of the first day one was read: what is stored counts
    assert [(day.day.day, day.articles) for day in told.days] == [
        (1, 2),
        (2, 2),
        (3, 2),
    ]
    assert told.days[0].central is not None
    assert told.counts == {day.day: day.articles for day in told.days}
    assert told.articles is None
    assert StoryDays(days=[], counts={}).every_day() == []


def test_a_shared_link_says_what_it_leads_to(client: TestClient) -> None:
    for path in (STORY, f"{STORY}?by=source&from=s000009"):
        page = look(client, path)
        address = f"https://news.example/desk{STORY}"
        about = "6 articles, 1 March 2024 to 3 March 2024. Keywords: storm, word1."

        assert page.one("link", rel="canonical")["href"] == address
        assert page.one("meta", property="og:url")["content"] == address
        assert page.one("meta", property="og:title")["content"] == HOSTILE
        assert page.one("meta", property="og:description")["content"] == about
        assert page.one("meta", name="description")["content"] == about
        assert "<script>alert" not in page.html
