"""Story: its days, its words, its articles and its turns, as the API tells them."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from tests.web.conftest import get
from tests.web.looking import look
from ustory.web.pages.formatting import article_path, story_path


def _detail(reader: TestClient, **asked: str) -> dict[str, Any]:
    stories = get(reader, "/api/stories", **{"sort": "size", "limit": 1, **asked})
    story: str = stories["stories"][0]["id"]
    found: dict[str, Any] = get(reader, f"/api/stories/{story}")
    return found


def test_a_story_is_told_day_by_day_with_its_central_articles(
    reader: TestClient,
) -> None:
    detail = _detail(reader)
    story = detail["story"]
    page = look(reader, story_path(story["id"]))

    assert page.one("h1").text == story["headline"]
    assert page.one("link", type="application/json")["href"] == (
        f"/api/stories/{story['id']}"
    )
    days = page.all("li", class_="day")
    assert len(days) == len(detail["days"])
    newest = detail["days"][-1]
    assert newest["central"]["title"] in days[0].text
    central = article_path(newest["central"]["id"])
    assert page.all("a", href=central)


def test_its_keywords_are_a_table_and_a_sentence(reader: TestClient) -> None:
    detail = _detail(reader)
    page = look(reader, story_path(detail["story"]["id"]))
    table = page.one("table", class_="moves")

    last = detail["days"][-1]["keywords"][:6]
    assert all(word in table.text for word in last)
    words = {cell.attributes.get("data-word") for cell in page.all("td")}
    assert set(last) <= words


def test_its_articles_are_grouped_by_day_or_by_source(reader: TestClient) -> None:
    detail = _detail(reader)
    path = story_path(detail["story"]["id"])
    articles = detail["articles"]["articles"]

    for page, titles in (
        (look(reader, path), {a["published_at"][:10] for a in articles}),
        (look(reader, f"{path}?by=source"), {a["source"] for a in articles}),
    ):
        groups = page.all("div", class_="group")
        assert len(groups) == len(titles)
        assert all(any(a["title"] in g.text for g in groups) for a in articles)


def test_a_merged_story_leads_to_the_one_it_is_part_of(
    after_a_merger: TestClient,
) -> None:
    reader = after_a_merger
    merged = get(reader, "/api/stories", status="merged")["stories"][0]
    answer = reader.get(story_path(merged["id"]), follow_redirects=False)

    assert answer.status_code == 308
    assert answer.headers["cache-control"] == "no-store"
    place = answer.headers["location"]
    page = look(reader, place)
    assert "merged into" in page.one("p", class_="note").text
    assert merged["id"] in page.one("p", class_="note").text
    assert "Took in" in page.one("ol", class_="turns").text


def test_a_note_on_a_merge_that_never_was_is_not_shown(reader: TestClient) -> None:
    story = _detail(reader)["story"]["id"]

    for came in ("s999999", story):
        page = look(reader, f"{story_path(story)}?from={came}")
        assert not page.all("p", class_="note")


def test_a_story_tells_how_it_began(reader: TestClient) -> None:
    story = _detail(reader)["story"]["id"]
    turns = look(reader, story_path(story)).one("ol", class_="turns")

    assert "Began with" in turns.text or "Split off from" in turns.text


def test_a_story_nobody_knows_is_a_page_that_says_so(reader: TestClient) -> None:
    for name in ("s999999", "a%20b", "x" * 50):
        page = look(reader, f"/stories/{name}", 404)
        assert page.one("h1").text == "There is nothing here"


def test_the_page_of_a_story_listens_to_its_events_only(reader: TestClient) -> None:
    story = _detail(reader)["story"]["id"]
    body = look(reader, story_path(story)).one("body")

    assert body["data-story"] == story
    assert int(body["data-event"]) > 0
