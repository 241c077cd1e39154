"""The reader's zone: times and days in it, from a cookie that nobody has to trust."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from tests.web.conftest import get
from tests.web.looking import HTML, Looked, look
from ustory.core.wording import exact
from ustory.store.story_articles import StoryArticle
from ustory.store.tables import StoryDay
from ustory.web.pages.formatting import ago, story_path
from ustory.web.pages.reader_zone import ReaderZone, is_zone, zone_names
from ustory.web.pages.story_days import zone_days
from ustory.web.pages.zone import own_path

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)
BERLIN, TOKYO = "Europe/Berlin", "Asia/Tokyo"


def _page(client: TestClient, path: str, zone: str) -> Looked:
    answer = client.get(path, headers={**HTML, "Cookie": f"ustory-zone={zone}"})
    assert answer.status_code == 200, answer.text
    assert "Cookie" in answer.headers["vary"]
    return Looked(answer.text)


def _largest(client: TestClient) -> dict[str, Any]:
    story = get(client, "/api/stories", sort="size", limit=1)["stories"][0]
    found: dict[str, Any] = get(client, f"/api/stories/{story['id']}")
    return found


@given(st.text(max_size=80))
def test_any_cookie_gives_a_zone_that_exists(cookie: str) -> None:
    zone = ReaderZone.of(cookie)

    assert zone.name == "UTC" or zone.name in zone_names()
    assert zone.day(NOW) - NOW.date() in map(timedelta, (-1, 0, 1))
    assert ReaderZone.of(zone.cookie) == zone


@pytest.mark.parametrize(
    "cookie",
    ["../../etc/passwd", "/etc/passwd", "Europe", "Europe/", "Europe/Berlin\n", ".",
     "local:", "local:local:UTC", "europe/berlin", "A" * 500, "localtime", "Europe/..",
     "<script>", "posix/../Europe/Berlin", "Europe/Berlin/../../x"],
)  # fmt: skip
def test_hostile_cookies_are_ignored(reader: TestClient, cookie: str) -> None:
    assert ReaderZone.of(cookie) == ReaderZone()
    sent = cookie.replace("\n", ".")  # no header can have a line's end
    assert _page(reader, "/", sent).one("html")["data-zone"] == "UTC"


def test_nothing_is_opened_but_zones() -> None:
    assert is_zone("America/Argentina/Buenos_Aires")
    assert not any(map(is_zone, ("zone.tab", "tzdata.zi", "right", "posix", "")))


def test_a_moment_is_written_with_its_zone_in_summer_and_winter() -> None:
    berlin, summer = ZoneInfo(BERLIN), datetime(2024, 7, 7, 22, 30, tzinfo=UTC)

    assert exact(NOW, berlin) == "7 March 2024, 13:00 CET"
    assert exact(summer, berlin) == "8 July 2024, 00:30 CEST"
    assert exact(NOW, ZoneInfo("Asia/Kathmandu")) == "7 March 2024, 17:45 UTC+5:45"
    assert exact(datetime.max.replace(tzinfo=UTC), ZoneInfo(TOKYO)).endswith("UTC")


@pytest.mark.parametrize(
    ("hours", "words"),
    [(0, "just now"), (23.9, "23 h ago"), (24, "Wed 21:00"), (47, "Tue 22:00"),
     (167, "Thu 22:00"), (168, "29 Feb"), (24 * 80, "18 Dec 2023"), (-30, "in 1 d")],
)  # fmt: skip
def test_within_a_week_the_weekday_and_the_time_are_told(
    hours: float, words: str
) -> None:
    assert ago(NOW - timedelta(hours=hours), NOW, ZoneInfo(TOKYO)) == words


def test_without_a_cookie_pages_are_in_utc_and_say_so(reader: TestClient) -> None:
    page = look(reader, "/")

    assert page.one("html")["data-zone"] == "UTC"
    assert "Times are in UTC" in page.one("div", class_="zone").text
    assert all(t["title"].endswith("UTC") for t in page.all("time", data_ago=""))


def test_with_a_cookie_every_time_has_the_zone(reader: TestClient) -> None:
    for path in ("/", story_path(_largest(reader)["story"]["id"]), "/operations"):
        page = _page(reader, path, f"local:{BERLIN}")
        assert page.one("html")["data-zone"] == BERLIN
        told = page.one("div", class_="zone").text
        assert "your local zone, Europe/Berlin" in told
        titles = [t["title"] for t in page.all("time", data_ago="")]
        assert titles
        assert all(title.endswith("CET") for title in titles)


def test_the_timeline_counts_stored_days_and_says_utc(reader: TestClient) -> None:
    page = _page(reader, "/timeline", TOKYO)

    assert page.one("html")["data-zone"] == "UTC"
    assert "Times on this page are in UTC" in page.one("div", class_="zone").text


@pytest.mark.parametrize("zone", ["UTC", TOKYO, "America/Los_Angeles", "Asia/Kolkata"])
def test_both_lists_of_a_story_have_the_days_of_the_zone(
    reader: TestClient, zone: str
) -> None:
    for story in get(reader, "/api/stories", status="live")["stories"]:
        path = story_path(story["id"])
        articles = get(reader, f"/api{path}/articles", limit=200)["articles"]
        own = [
            datetime.fromisoformat(a["published_at"]).astimezone(ZoneInfo(zone)).date()
            for a in articles
        ]
        page = _page(reader, path, zone)

        days = [t["datetime"] for t in page.all("time") if len(t["datetime"]) == 10]
        assert set(days) == {day.isoformat() for day in own}
        assert len(page.all("li", class_="day")) == len(set(own))
        assert _day_counts(page) == _group_counts(page)
        assert sum(_group_counts(page).values()) == len(articles)


def _day_counts(page: Looked) -> dict[str, int]:
    """Return the articles of each day as What happened tells them."""
    return {
        day.text.split("\n")[1].strip(): int(day.text.split("\n")[2].split()[0])
        for day in page.all("li", class_="day")
    }


def _group_counts(page: Looked) -> dict[str, int]:
    """Return the articles of each day as the list of articles tells them."""
    found = {}
    for group in page.all("div", class_="group"):
        head = group.text.strip().split("\n")[0]
        words = head.partition(" article")[0].split()
        found[" ".join(words[:-1])] = int(words[-1])
    return found


def test_a_zone_is_chosen_by_a_form_without_a_script(reader: TestClient) -> None:
    for asked, kept in (
        ({"zone": "new york"}, "America/New_York"),
        ({"zone": BERLIN, "choose": "UTC"}, "UTC"),
        ({"zone": "UTC", "choose": f"local:{TOKYO}"}, f"local:{TOKYO}"),
    ):
        answer = reader.get(
            "/zone", params={**asked, "back": "/?q=a"}, follow_redirects=False
        )
        reader.cookies.delete("ustory-zone")  # other tests have the same client
        assert (answer.status_code, answer.headers["location"]) == (303, "/?q=a")
        assert answer.headers["set-cookie"].startswith(f"ustory-zone={kept}; Path=/;")
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("zone", ["Mars/Base", "", "../etc", "x" * 150, "a\r\nSet: b"])
def test_a_zone_that_is_none_is_refused_in_words(reader: TestClient, zone: str) -> None:
    answer = reader.get("/zone", params={"zone": zone}, headers=HTML)

    assert answer.status_code == 400
    assert "Europe/Berlin" in Looked(answer.text).one("p", class_="lead").text
    assert "set-cookie" not in answer.headers


@given(st.text(max_size=40))
def test_the_way_back_never_leaves_this_server(back: str) -> None:
    found = own_path(back)

    assert found == "/" or found == back
    assert found.startswith("/")
    assert found[1:2] not in ("/", "\\")
    assert found.isprintable()


def test_the_way_back_is_the_page_that_was_shown(reader: TestClient) -> None:
    path = "/?q=earth%20%22quake%22&x=%C3%A9"
    page = look(reader, path)

    # the zone and the language of headlines each have a form
    assert [each["value"] for each in page.all("input", name="back")] == [path, path]
    assert page.one("div", class_="printed").text.split()[0].endswith(path)


def _article(name: str, at: datetime, confidence: float = 0.5) -> StoryArticle:
    return StoryArticle(
        id=name, published_at=at, source=name, origin="", copy_of=None,
        confidence=confidence,
    )  # fmt: skip


def test_days_of_a_zone_take_words_and_heads_of_the_stored_days() -> None:
    fourth, fifth = datetime(2024, 3, 4, tzinfo=UTC), datetime(2024, 3, 5, tzinfo=UTC)
    articles = [
        _article("early", fourth + timedelta(hours=3)),
        _article("late", fourth + timedelta(hours=20), 0.9),
        _article("later", fourth + timedelta(hours=22)),
        _article("next", fifth + timedelta(hours=2)),
    ]
    stored = {
        day.date(): StoryDay(
            story="s", day=0, articles=1, keywords=(word,), central=central
        )
        for day, word, central in ((fourth, "four", "early"), (fifth, "five", "gone"))
    }
    utc = zone_days(articles, stored, ReaderZone())
    tokyo = zone_days(articles, stored, ReaderZone(TOKYO))

    assert [(d.day, d.articles, d.central) for d in utc] == [
        (date(2024, 3, 4), 3, "early"), (date(2024, 3, 5), 1, "next"),
    ]  # fmt: skip
    assert [(d.day, d.articles, d.keywords, d.central) for d in tokyo] == [
        (date(2024, 3, 4), 1, ("four",), "early"),
        (date(2024, 3, 5), 3, ("four",), "late"),  # no stored head fell on it
    ]
