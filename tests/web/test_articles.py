"""Articles are taken in once, answered at once, found, read and explained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import WRITER, get, open_service
from ustory.core.article import Article
from ustory.service.intake import Intake, IntakeLimits
from ustory.web.app import create_app
from ustory.web.service import Service

QUAKE: dict[str, Any] = {
    "title": "Kestrel Bay earthquake: Port Sella searches the old quarter",
    "text": "PORT SELLA, Tavarre - Rescue crews searched the old quarter of Port "
    "Sella after the earthquake that shook Kestrel Bay. The Tavarre Geological "
    "Institute counted aftershocks; the tsunami advisory for the bay was lifted.",
    "url": "https://harbourpost.example/kestrel-bay-search",
    "source": "Harbour Post",
    "published_at": "2024-03-17T21:00:00Z",
    "lang": "en-GB",
}


def _send(client: TestClient, body: object) -> list[dict[str, Any]]:
    answer = client.post("/api/articles", json=body, headers=WRITER)
    assert answer.status_code == 200, answer.text
    receipts: list[dict[str, Any]] = answer.json()["receipts"]
    return receipts


def test_an_article_is_stored_before_it_is_acknowledged(client: TestClient) -> None:
    (receipt,) = _send(client, QUAKE)

    assert receipt["outcome"] == "new"
    assert receipt["provisional"]
    found = get(client, f"/api/articles/{receipt['article']}")
    assert found["text"] == QUAKE["text"]
    assert found["lang"] == "en"
    assert found["claimed_at"] == QUAKE["published_at"]
    assert found["waiting"]


def test_who_brought_an_article_is_told_and_a_claimed_source_marked(
    client: TestClient, service: Service
) -> None:
    (receipt,) = _send(client, QUAKE)
    sent = get(client, f"/api/articles/{receipt['article']}")
    assert sent["origin"].startswith("api")
    assert not sent["source_claimed"]

    link = "https://harbourpost.example/claimed"
    claimed = Article(
        id="claimed", published_at=service.clock(), title="Claimed", url=link,
        source="harbourpost.example",
    )  # fmt: skip
    feed = "https://me:secret@evil.example/feed?token=secret"
    service.intake.accept([claimed], feed)
    found = get(client, "/api/articles/claimed")
    assert found["origin"] == "https://evil.example/feed"
    assert found["source_claimed"]
    page = client.get("/articles/claimed").text
    assert "That it is by harbourpost.example is what" in page
    assert "secret" not in page


def test_sending_an_article_again_does_nothing(client: TestClient) -> None:
    (first,) = _send(client, QUAKE)
    (second,) = _send(client, QUAKE)

    assert second["outcome"] == "known"
    assert (second["article"], second["seq"]) == (first["article"], first["seq"])


def test_a_new_text_at_a_known_address_is_an_edit(client: TestClient) -> None:
    (first,) = _send(client, QUAKE)
    (second,) = _send(client, {**QUAKE, "title": "Corrected", "id": "another"})

    found = get(client, f"/api/articles/{first['article']}")
    assert (second["outcome"], second["article"]) == ("edited", first["article"])
    assert found["title"] == "Corrected"
    assert [r["number"] for r in found["revisions"]] == [1, 2]


def test_many_are_answered_in_their_order(client: TestClient) -> None:
    many = [{"title": f"Item {n}", "text": f"Text {n}."} for n in range(5)]

    receipts = _send(client, {"articles": [*many, many[0]]})

    assert [r["outcome"] for r in receipts] == ["new"] * 5 + ["known"]
    titles = [get(client, f"/api/articles/{r['article']}")["title"] for r in receipts]
    assert titles == [*(f"Item {n}" for n in range(5)), "Item 0"]


def test_an_article_gets_its_likely_story_in_the_answer(
    client: TestClient, service: Service
) -> None:
    last = get(client, "/api/articles", q="solenne election")["articles"][0]
    text = get(client, f"/api/articles/{last['id']}")["text"]
    sent = {"title": last["title"], "text": text, "source": "Another Paper",
            "published_at": "2024-03-17T23:00:00Z"}  # fmt: skip

    (receipt,) = _send(client, sent)

    assert receipt["story"] == last["story"]
    assert receipt["probability"] > 0.5
    service.loop.finish()
    settled = get(client, f"/api/articles/{receipt['article']}")
    assert settled["story"] == last["story"]
    assert not settled["waiting"]


def test_an_article_without_a_date_came_now_and_is_flagged(client: TestClient) -> None:
    (receipt,) = _send(client, {"title": "No date"})

    found = get(client, f"/api/articles/{receipt['article']}")
    assert found["date_flag"] == "missing"
    assert found["claimed_at"] is None


def test_a_forged_date_is_clamped_and_flagged(client: TestClient) -> None:
    old, late = _send(
        client,
        {"articles": [
            {"title": "Old", "published_at": "0001-01-01T00:00:00Z"},
            {"title": "Late", "published_at": "9999-12-31T23:59:59Z"},
        ]},
    )  # fmt: skip

    flags = [get(client, f"/api/articles/{r['article']}") for r in (old, late)]
    assert [each["date_flag"] for each in flags] == ["old", "future"]
    assert all("1990" <= each["published_at"][:4] <= "2024" for each in flags)


def test_when_too_much_waits_the_answer_is_429_with_a_time(database: Path) -> None:
    service = open_service(database)
    service.intake = Intake(
        service.store, service.loop.calendar, service.clock, IntakeLimits(waiting=2)
    )
    many = {"articles": [{"title": f"Item {n}"} for n in range(3)]}
    with TestClient(create_app(service)) as client:
        _send(client, {"title": "The first"})
        answer = client.post("/api/articles", json=many, headers=WRITER)
        found = get(client, "/api/articles", q="item")
    service.store.close()

    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.json()["error"]["kind"] == "too_many_requests"
    assert found["articles"] == []


@pytest.mark.parametrize(
    "body",
    [{}, [], "text", 5, None, {"title": ""}, {"title": "   "}, {"title": 5},
     {"articles": []}, {"articles": [{"title": "a"}, {}]}, {"title": "a", "id": ""},
     {"title": "a", "published_at": 1709812800}, {"title": "a", "authors": "b"},
     {"title": "x" * 1_001}, {"articles": [{"title": "a"}] * 1_001}],
)  # fmt: skip
def test_what_is_no_article_is_refused_and_nothing_is_stored(
    client: TestClient, service: Service, body: object
) -> None:
    before = service.intake.waiting()

    answer = client.post("/api/articles", json=body, headers=WRITER)

    assert answer.status_code == 422
    assert answer.json()["error"]["kind"] == "invalid"
    assert service.intake.waiting() == before


def test_text_that_databases_cannot_hold_is_made_holdable(client: TestClient) -> None:
    (receipt,) = _send(client, {"title": "a\u0000b", "text": "c\u0007d\n"})

    found = get(client, f"/api/articles/{receipt['article']}")
    assert (found["title"], found["text"].strip()) == ("a b", "c d")


def test_half_a_character_is_refused_and_not_an_error_of_ours(
    client: TestClient,
) -> None:
    answer = client.post(
        "/api/articles",
        content=b'{"title": "\\ud800"}',
        headers={**WRITER, "Content-Type": "application/json"},
    )

    assert answer.status_code in (200, 422)


def test_an_id_may_be_an_address_with_slashes(client: TestClient) -> None:
    id_ = "https://a.example/b/c?d=e"
    _send(client, {"id": id_, "title": "Slashes"})

    found = client.get("/api/articles/https%3A%2F%2Fa.example%2Fb%2Fc%3Fd%3De")
    explained = client.get(
        "/api/articles/https%3A%2F%2Fa.example%2Fb%2Fc%3Fd%3De/explanation"
    )

    assert found.json()["id"] == id_
    assert explained.json()["article"] == id_


def test_links_that_are_not_of_the_web_are_not_handed_on(client: TestClient) -> None:
    (receipt,) = _send(client, {"title": "Bad link", "url": "javascript:alert(1)"})

    assert get(client, f"/api/articles/{receipt['article']}")["url"] is None


def test_articles_are_found_by_all_their_words(reader: TestClient) -> None:
    found = get(reader, "/api/articles", q="tsunami advisory")["articles"]

    assert "a-0001" in {article["id"] for article in found}
    for odd in ('"', "AND OR (", "*", "🙂", "a\u0000b", "x" * 999):
        assert reader.get("/api/articles", params={"q": odd}).status_code == 200


def test_a_text_is_matched_with_stories_and_not_stored(
    client: TestClient, service: Service
) -> None:
    last = get(client, "/api/articles", q="solenne election")["articles"][0]
    text = get(client, f"/api/articles/{last['id']}")["text"]
    before = service.intake.waiting()

    answer = client.post("/api/match", json={"text": text})

    first = answer.json()["matches"][0]
    assert first["story"] == last["story"]
    assert first["headline"]
    assert first["joins"]
    assert service.intake.waiting() == before


def test_a_text_about_nothing_known_matches_nothing(reader: TestClient) -> None:
    answer = reader.post("/api/match", json={"text": "Qwerty zxcvb asdfgh."})

    assert answer.json() == {"matches": []}


def test_an_article_in_the_window_is_explained_in_words_and_numbers(
    reader: TestClient,
) -> None:
    live = get(reader, "/api/stories", status="live", sort="size")["stories"][0]
    article = get(reader, f"/api/stories/{live['id']}/articles")["articles"][0]

    why = get(reader, f"/api/articles/{article['id']}/explanation")

    assert why["story"] == why["best"] == live["id"]
    assert live["id"] in why["reasons"][0]
    assert why["links"]
    assert set(why["keywords"]) <= set(live["keywords"])
    assert sum(s["weight"] for s in why["sentences"]) == pytest.approx(1, abs=1e-3)
    assert why["sentences"][0]["text"] == article["title"]
    assert {name["id"] for name in why["stories"]} >= {live["id"]}


def test_an_article_that_left_the_window_keeps_its_reasons(reader: TestClient) -> None:
    why = get(reader, "/api/articles/a-0001/explanation")

    assert why["sentences"] == []
    assert why["decision"]["story"] == why["story"]
    assert why["reasons"]


def test_an_article_that_waits_says_so(client: TestClient) -> None:
    (receipt,) = _send(client, QUAKE)

    why = get(client, f"/api/articles/{receipt['article']}/explanation")

    assert why["story"] is None
    assert "slide is still to come" in why["reasons"][0]


def test_an_article_nobody_knows_is_not_found(reader: TestClient) -> None:
    for path in ("/api/articles/none", "/api/articles/none/explanation"):
        assert reader.get(path).status_code == 404


def test_what_became_of_articles_is_counted(client: TestClient) -> None:
    _send(client, QUAKE)
    _send(client, QUAKE)

    text = client.get("/metrics").text

    assert 'ustory_articles_received_total{outcome="new"} 1.0' in text
    assert 'ustory_articles_received_total{outcome="known"} 1.0' in text


def test_an_article_is_withdrawn_by_its_id(
    client: TestClient, service: Service
) -> None:
    (receipt,) = _send(client, QUAKE)
    service.loop.finish()
    path = f"/api/articles/{receipt['article']}"
    assert client.delete(path).status_code == 401
    answer = client.delete(path, headers=WRITER)
    assert answer.status_code == 200, answer.text
    assert answer.json()["articles"] == 1
    assert client.get(path).status_code == 404
    assert client.get(path.replace("/api", "")).status_code == 404
    assert client.delete(path, headers=WRITER).status_code == 404
    assert get(client, "/api/articles", q="searches the old quarter")["articles"] == []
    (again,) = _send(client, QUAKE)
    assert again["outcome"] == "refused"


def test_articles_are_withdrawn_by_source_and_by_words(client: TestClient) -> None:
    _send(client, QUAKE)
    named = {"kind": "source", "value": "Harbour Post"}
    assert client.post("/api/withdrawals", json=named).status_code == 401
    answer = client.post("/api/withdrawals", json=named, headers=WRITER)
    assert answer.json()["articles"] >= 1
    nothing = {"kind": "text", "value": "nobody ever wrote this"}
    answer = client.post("/api/withdrawals", json=nothing, headers=WRITER)
    assert answer.json() == {"articles": 0, "stories": 0, "backups": []}
    blank = {"kind": "text", "value": " "}
    answer = client.post("/api/withdrawals", json=blank, headers=WRITER)
    assert answer.status_code == 422
