"""Stories can be listed, filtered, searched, opened and followed."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import get, the_service
from ustory.store.listing import StoryQuery, list_stories
from ustory.web.service import Service


def _all(client: TestClient, path: str, name: str, **asked: Any) -> list[Any]:  # noqa: ANN401 - any parameter
    """Return all pages of a list as one."""
    found: list[Any] = []
    cursor: str | None = None
    while True:
        page = get(client, path, **asked, **({"cursor": cursor} if cursor else {}))
        found += page[name]
        cursor = page["next"]
        if cursor is None:
            return found


def _merged(service: Service) -> str:
    """Return the id of a story that was merged into another."""
    with service.store.read() as connection:
        page = list_stories(connection, StoryQuery(status="merged"))
    if not page.items:
        pytest.fail("in these slides a story must be merged")
    return page.items[0].id


@pytest.mark.parametrize(
    ("sort", "field"),
    [("heat", "heat"), ("size", "articles"), ("recent", "last_seen"),
     ("new", "first_seen")],
)  # fmt: skip
def test_stories_come_in_the_order_that_is_asked_for(
    reader: TestClient, sort: str, field: str
) -> None:
    stories = get(reader, "/api/stories", sort=sort)["stories"]

    values = [story[field] for story in stories]
    assert len(values) >= 10
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("sort", ["heat", "size", "recent", "new"])
def test_pages_hold_every_story_once(reader: TestClient, sort: str) -> None:
    at_once = get(reader, "/api/stories", sort=sort, limit=200)["stories"]

    by_pages = _all(reader, "/api/stories", "stories", sort=sort, limit=3)

    assert [s["id"] for s in by_pages] == [s["id"] for s in at_once]


def test_stories_are_found_by_words_of_their_articles(reader: TestClient) -> None:
    found = get(reader, "/api/stories", q="tsunami advisory")["stories"]

    assert found
    assert any("kestrel" in story["keywords"] for story in found)
    assert get(reader, "/api/stories", q="xylophonist")["stories"] == []


@pytest.mark.parametrize("name", ["keyword", "source", "lang", "status"])
def test_a_filter_lets_only_those_through_that_pass(
    reader: TestClient, name: str
) -> None:
    every = _all(reader, "/api/stories", "stories")
    story = every[0]
    field = {"keyword": "keywords", "source": "top_sources"}.get(name, name)
    value = story[field][0] if isinstance(story[field], list) else story[field]

    found = _all(reader, "/api/stories", "stories", **{name: value})

    assert story["id"] in {each["id"] for each in found}
    if name != "source":  # only the largest sources are told
        assert all(value in (each[field] or ()) for each in found)


def test_a_filter_by_time_goes_by_the_articles(reader: TestClient) -> None:
    since = get(reader, "/api/stories", since="2024-03-12")["stories"]
    until = get(reader, "/api/stories", until="2024-03-06T00:00:00Z")["stories"]

    assert since
    assert until
    assert all(story["last_seen"] >= "2024-03-12" for story in since)
    assert all(story["first_seen"] < "2024-03-06" for story in until)


def test_a_story_is_told_whole(reader: TestClient) -> None:
    story = get(reader, "/api/stories", sort="size")["stories"][0]

    told = get(reader, f"/api/stories/{story['id']}")

    assert told["story"] == story
    articles = told["articles"]["articles"]
    assert len(articles) == story["articles"]
    assert {article["story"] for article in articles} == {story["id"]}
    dates = [article["published_at"] for article in articles]
    assert dates == sorted(dates, reverse=True)
    assert sum(day["articles"] for day in told["days"]) == story["articles"]
    assert all(day["keywords"] for day in told["days"])
    assert {event["story"] for event in told["events"]} == {story["id"]}
    assert told["events"][0]["kind"] in ("born", "split")


def test_the_parts_of_a_story_can_be_asked_for_alone(reader: TestClient) -> None:
    id_ = get(reader, "/api/stories", sort="size")["stories"][0]["id"]
    told = get(reader, f"/api/stories/{id_}")

    articles = _all(reader, f"/api/stories/{id_}/articles", "articles", limit=2)
    timeline = get(reader, f"/api/stories/{id_}/timeline")
    related = get(reader, f"/api/stories/{id_}/related")

    assert articles == told["articles"]["articles"]
    assert timeline == {"story": id_, "days": told["days"], "events": told["events"]}
    assert related["stories"] == told["related"]
    assert len(get(reader, f"/api/stories/{id_}/timeline", days=1)["days"]) == 1


def test_a_merged_story_leads_to_the_one_it_is_part_of(
    after_a_merger: TestClient,
) -> None:
    reader = after_a_merger
    id_ = _merged(the_service(reader))

    answer = reader.get(f"/api/stories/{id_}", follow_redirects=False)
    followed = reader.get(f"/api/stories/{id_}", follow_redirects=True)
    itself = get(reader, f"/api/stories/{id_}", follow=False)

    assert answer.status_code == 308
    into = answer.json()["merged_into"]
    assert answer.headers["location"] == f"/api/stories/{into}"
    assert followed.json()["story"]["id"] == into
    assert itself["story"]["status"] == "merged"
    assert itself["story"]["merged_into"] is not None


def test_what_does_not_exist_is_not_found(reader: TestClient) -> None:
    for path in ("", "/articles", "/timeline", "/related", "/articles.atom"):
        answer = reader.get(f"/api/stories/s999999{path}")
        assert answer.status_code == 404, path
        assert answer.json()["error"]["message"] == "there is no story s999999"


@pytest.mark.parametrize(
    ("path", "asked"),
    [("stories", {}), ("changes", {"since": "2024-01-01"}), ("articles", {"q": "a"})],
)
def test_a_cursor_that_is_none_of_ours_is_not_found(
    reader: TestClient, path: str, asked: dict[str, str]
) -> None:
    for cursor in ("abc", "WyJoZWF0Il0", "x" * 999):
        answer = reader.get(f"/api/{path}", params={**asked, "cursor": cursor})
        assert answer.status_code == 404, answer.text


def test_changes_since_the_beginning_are_all_stories(reader: TestClient) -> None:
    every = _all(reader, "/api/changes", "stories", since="2024-01-01", limit=7)
    statuses = ("live", "expired", "merged")
    known = [
        story["id"]
        for status in statuses
        for story in _all(reader, "/api/stories", "stories", status=status)
    ]

    assert sorted(story["id"] for story in every) == sorted(known)


def test_there_are_no_changes_since_the_end(reader: TestClient) -> None:
    until = get(reader, "/api/changes", since="2024-01-01")["until"]

    assert get(reader, "/api/changes", since=until)["stories"] == []


def test_a_date_that_is_none_is_refused_in_words(reader: TestClient) -> None:
    answer = reader.get("/api/changes", params={"since": "yesterday"})

    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["kind"] == "invalid"
    assert error["details"][0]["where"] == "query.since"
    assert "2024-03-07" in error["details"][0]["problem"]


def test_a_parameter_nobody_knows_is_refused(reader: TestClient) -> None:
    answer = reader.get("/api/stories", params={"sorting": "heat"})

    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["where"] == "query.sorting"
