"""Article: shaded sentences, reasons in words, and what is known outside the window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import GENEROUS, KEY, WRITER, get
from tests.web.looking import look
from ustory.service.clock import StreamClock
from ustory.service.intake import Intake
from ustory.service.loop import Loop
from ustory.service.settings import live_settings
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source
from ustory.store import Store
from ustory.testing.parts import TinyEncoder
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.pages.formatting import article_path
from ustory.web.service import Rules, Service


def _articles(client: TestClient) -> Iterator[dict[str, Any]]:
    """Yield articles of live stories with their explanations, the newest first."""
    for story in get(client, "/api/stories", status="live")["stories"]:
        for article in get(client, f"/api/stories/{story['id']}/articles")["articles"]:
            path = f"/api{article_path(article['id'])}/explanation"
            yield {**article, "why": get(client, path)}


def _weighed(client: TestClient) -> dict[str, Any]:
    every = _articles(client)
    return next(a for a in every if a["why"]["sentences"] and a["why"]["keywords"])


def test_sentences_are_shaded_by_their_weight(reader: TestClient) -> None:
    article = _weighed(reader)
    page = look(reader, article_path(article["id"]))
    sentences = [s for s in article["why"]["sentences"] if s["weight"] > 0]
    heaviest = max(sentences, key=lambda s: s["weight"])

    shaded = page.all("span", class_="shade")
    assert len(shaded) == len(sentences)
    darkest = page.all("span", class_="w4")
    assert any(heaviest["text"] in each.text for each in darkest)
    assert all("weighs" in each.text for each in darkest)  # for those who cannot see
    assert page.one("p", class_="legend").text.strip()


def test_the_whole_text_is_there_whatever_weighs_in_it(reader: TestClient) -> None:
    article = _weighed(reader)
    text = get(reader, f"/api{article_path(article['id'])}")["text"]
    shown = look(reader, article_path(article["id"])).one("div", class_="words").text

    assert [w for w in text.split() if w not in shown] == []


def test_reasons_come_in_words_before_numbers(reader: TestClient) -> None:
    article = _weighed(reader)
    page = look(reader, article_path(article["id"]))
    why = page.one("section", class_="why").text

    assert "Why this story" in why
    assert "belongs to this story" in why
    assert why.index("keywords") < why.index("In numbers")
    assert "log-odds" in why
    links = page.one("ul", class_="links")
    titles = {a["id"]: a["title"] for a in _articles(reader)}
    named = [titles[name] for name in article["why"]["links"] if name in titles]
    assert named
    assert all(title in links.text for title in named)


def test_the_runner_up_is_named_and_linked(reader: TestClient) -> None:
    article = next(a for a in _articles(reader) if a["why"]["runner_up"])
    page = look(reader, article_path(article["id"]))
    rival = article["why"]["runner_up"]

    assert "Next is" in page.one("section", class_="why").text
    assert any(a.attributes.get("href") == f"/stories/{rival}" for a in page.all("a"))


def test_an_article_that_left_the_window_has_its_text_and_its_reasons(
    reader: TestClient,
) -> None:
    old = get(reader, "/api/stories", status="expired")["stories"][0]["id"]
    article = get(reader, f"/api/stories/{old}/articles")["articles"][0]
    page = look(reader, article_path(article["id"]))

    assert not page.all("span", class_="shade")
    assert "left the window" in page.one("p", class_="legend").text
    assert "this story" in page.one("section", class_="why").text


def test_an_article_of_no_story_says_why(reader: TestClient) -> None:
    with_story = {a["id"] for a in _articles(reader)}
    found = get(reader, "/api/articles", q="the", limit=200)["articles"]
    alone = next(a for a in found if not a["story"] and a["id"] not in with_story)
    page = look(reader, article_path(alone["id"]))

    assert "Why no story" in page.one("section", class_="why").text
    assert "in no story" in page.one("section", class_="why").text


@pytest.mark.parametrize(
    "name", ["a/b/../c", "what? no#thing", "<script>alert(1)</script>", "ünïcode +&=;"]
)
def test_an_id_may_hold_any_characters(client: TestClient, name: str) -> None:
    article = {"id": name, "title": "Odd", "published_at": "2024-03-18T01:00:00Z"}
    assert client.post("/api/articles", json=article, headers=WRITER).status_code == 200
    page = look(client, article_path(name))

    assert page.one("h1").text == "Odd"
    assert page.one("article")["data-id"] == name
    twin = page.one("link", type="application/json")["href"]
    assert get(client, twin)["id"] == name


def test_a_text_that_is_an_attack_is_shown_as_text(client: TestClient) -> None:
    attack = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script>"
    article = {
        "id": "attack", "title": attack, "text": f"{attack}\n{attack}",
        "source": attack, "authors": [attack], "url": "javascript:alert(3)",
        "published_at": "2024-03-18T01:00:00Z",
    }  # fmt: skip
    assert client.post("/api/articles", json=article, headers=WRITER).status_code == 200
    page = look(client, article_path("attack"))

    assert page.one("h1").text == attack
    assert not page.all("img")
    assert all(script["src"].startswith("/static/") for script in page.all("script"))
    assert "javascript:" not in page.html


def test_a_date_that_is_not_believed_is_explained(client: TestClient) -> None:
    article = {"id": "old", "title": "Old news", "published_at": "1901-01-01"}
    client.post("/api/articles", json=article, headers=WRITER)

    note = look(client, article_path("old")).one("p", class_="note").text
    assert "1901" in note


def test_an_article_nobody_knows_is_a_page_that_says_so(reader: TestClient) -> None:
    page = look(reader, "/articles/none", 404)

    assert "no article" in page.one("p", class_="lead").text


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Return a client of a service that works as the paper says."""
    store = Store.open(str(tmp_path_factory.mktemp("paper") / "paper.db"))
    settings = live_settings(mode="paper", slide="1d", min_articles=2)
    loop = Loop(store, settings, TinyEncoder(), StreamClock())
    intake = Intake(store, loop.calendar, loop.clock)
    service = Service(loop, intake, Rules(keys=Keys.of([KEY]), limits=GENEROUS))
    loop.start()
    articles = [each.article for each in open_source(str(demo_stream())).read()]
    for start in range(0, len(articles), 20):
        intake.accept(articles[start : start + 20], "demo")
    loop.finish()
    with TestClient(create_app(service)) as client:
        yield client
    store.close()


def test_reasons_are_told_in_the_papers_mode_too(paper: TestClient) -> None:
    article = next(a for a in _articles(paper) if a["why"]["best"])
    why = look(paper, article_path(article["id"])).one("section", class_="why").text

    assert "the most similar of" in why
    assert "the bar for joining" in why
    assert "Similarity" in why
    assert "log-odds" not in why
