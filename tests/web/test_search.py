"""Search over the API and on the page: totals, sentences, filters, files, watching."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import WRITER, get, the_service
from tests.web.looking import HTML, look
from ustory.store.search_query import parse_query
from ustory.web.snippets import snippet_of


def titles(client: TestClient, q: str) -> list[str]:
    """Return the titles of all articles, and keep those with a word."""
    found = client.get("/api/export/articles").text.splitlines()
    return [line for line in found if q in line.lower()]


def test_totals_are_those_of_all_pages(reader: TestClient) -> None:
    stories: list[str] = []
    articles: list[str] = []
    given: dict[str, object] = {"q": "the", "limit": 3, "articles": 4}
    first = get(reader, "/api/search", **given)
    page = first
    while True:
        stories += [hit["story"]["id"] for hit in page["stories"]["hits"]]
        if page["stories"]["next"] is None:
            break
        page = get(reader, "/api/search", **given, cursor=page["stories"]["next"])
    page = first
    while True:
        articles += [hit["article"]["id"] for hit in page["articles"]["hits"]]
        if page["articles"]["next"] is None:
            break
        given["articles_cursor"] = page["articles"]["next"]
        page = get(reader, "/api/search", **given)

    assert len(set(stories)) == len(stories) == first["stories"]["total"] > 3
    assert len(set(articles)) == len(articles) == first["articles"]["total"]
    assert len(articles) == len(titles(reader, "the "))


def test_the_list_of_stories_says_how_many_there_are(reader: TestClient) -> None:
    page = get(reader, "/api/stories", status="live", limit=2)
    whole = get(reader, "/api/stories", status="live", limit=200)

    assert page["total"] == whole["total"] == len(whole["stories"]) > 2
    assert get(reader, "/api/articles", q="earthquake", limit=1)["total"] > 1


def test_what_is_found_is_shown_with_its_sentence(reader: TestClient) -> None:
    found = get(reader, "/api/search", q="earthquake")
    best = found["stories"]["hits"][0]
    scores = [hit["score"] for hit in found["stories"]["hits"]]
    marked = [part["text"].lower() for part in best["snippet"] if part["marked"]]

    assert scores == sorted(scores, reverse=True)
    assert "earthquake" in marked
    page = look(reader, "/?q=earthquake")
    assert {each.text.lower() for each in page.all("mark")} == {"earthquake"}


def test_a_slip_is_mended_and_said(reader: TestClient) -> None:
    found = get(reader, "/api/search", q="eartquake")
    page = look(reader, "/?q=eartquake")

    assert found["corrected"] == "earthquake"
    assert (
        found["stories"]["total"]
        == (get(reader, "/api/search", q="earthquake")["stories"]["total"])
    )
    assert "Nothing matches “eartquake”" in page.one("main").text
    # programs that ask the older addresses get what they asked for
    assert get(reader, "/api/articles", q="eartquake")["articles"] == []


def test_facets_count_what_their_filters_show(reader: TestClient) -> None:
    found = get(reader, "/api/search", q="the")

    for name, counts in found["facets"].items():
        for value, count in counts.items():
            if name == "within":
                continue  # the API takes a moment; the next test counts it on the page
            given = {"q": "the", name: value}
            shown = get(reader, "/api/search", **given)["stories"]["total"]
            assert shown == count, (name, value)


@pytest.mark.parametrize(
    "q", ["", "q=the&", "since=2024-03-09", "until=2024-03-10&status=all"]
)
def test_every_choice_of_a_facet_leads_to_as_many_as_it_says(
    reader: TestClient, q: str
) -> None:
    text = reader.get(f"/?{q}".rstrip("?&"), headers=HTML).text
    links = re.findall(
        r'<li><a href="([^"]*)"[^>]*><span>[^<]*</span> <span class="count">([0-9,]+)',
        text,
    )
    seen = 0
    for path, count in links:
        said = look(reader, unescape(path)).one("p", id="standing").text
        assert said.startswith(f"{count} "), (path, said)
        seen += 1
    assert seen > 12


def test_an_outlet_is_found_however_it_is_written(reader: TestClient) -> None:
    story = get(reader, "/api/stories", status="live")["stories"][0]
    name = story["top_sources"][0]
    exact = get(reader, "/api/stories", status="live", source=name)["total"]

    assert exact
    for written in (name.upper(), name.lower(), name.replace(" ", "  ")):
        found = get(reader, "/api/stories", status="live", source=written)
        assert found["total"] == exact
    page = look(reader, f"/?source={quote(name.lower())}")
    assert page.one("p", class_="lead").text.strip().endswith(f"covered by {name}.")
    assert look(reader, "/?source=nobody").one("p", class_="nothing-title")


def test_filtered_lists_have_titles_and_totals_of_their_own(
    reader: TestClient,
) -> None:
    plain = look(reader, "/")
    merged = look(reader, "/?status=merged")
    total = get(reader, "/api/stories", status="merged")["total"]

    assert plain.one("h1").text == "What is happening"
    assert merged.one("h1").text == "Stories"
    assert f"{total:,} merged stor" in merged.one("p", id="standing").text


def test_a_file_of_a_view_has_what_the_view_has(reader: TestClient) -> None:
    for path in ("/?q=earthquake", "/?status=all", "/?size=medium", "/?lang=en&q=the"):
        page = look(reader, path)
        (link,) = [a for a in page.all("a") if a.text == "CSV"]
        answer = reader.get(link["href"])
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        said = page.one("p", id="standing").text
        assert said.startswith(f"{len(rows):,} "), (path, said, len(rows))
    for more in ("", "&status=expired", "&size=large", "&status=live&size=medium"):
        page = look(reader, f"/?q=the&show=articles{more}")
        (link,) = [a for a in page.all("a") if a.text == "CSV"]
        rows = list(csv.DictReader(io.StringIO(reader.get(link["href"]).text)))
        said = page.one("p", id="standing").text
        assert f"; {len(rows):,} article" in said, (more, said)


def test_the_feed_of_a_view_has_its_filters(reader: TestClient) -> None:
    page = look(reader, "/?q=earthquake&size=large")
    feed = page.one("link", type="application/atom+xml")["href"]

    assert feed.startswith("/api/stories.atom?q=earthquake&size=large")
    assert (
        reader.get(feed).text.count("<entry>")
        == (
            get(reader, "/api/search", q="earthquake", size="large")["stories"]["total"]
        )
    )


@pytest.mark.parametrize("q", ["after:yesterday", "before:2024-13-01", "-after:2024"])
def test_a_wrong_date_is_refused_in_words(reader: TestClient, q: str) -> None:
    for path in ("/api/search", "/api/stories", "/api/articles", "/api/stories.atom"):
        answer = reader.get(path, params={"q": q})
        assert answer.status_code == 400, path
    assert reader.get("/api/export/stories", params={"q": q}).status_code == 400
    assert look(reader, f"/?q={quote(q)}", 400).one("p", class_="lead")


def test_what_is_typed_is_suggested(reader: TestClient) -> None:
    def offered(q: str) -> list[str]:
        found = get(reader, "/api/suggest", q=q)["suggestions"]
        return [each["text"] for each in found]

    assert "earthquake" in offered("earthq")
    assert "storm earthquake" in offered("storm earthq")
    assert offered("e") == []
    outlets = offered('storm source:"cont')
    assert outlets
    assert all(each.startswith('storm source:"Cont') for each in outlets)


def test_a_search_can_be_watched(client: TestClient) -> None:
    wanted = {"name": "Quakes", "search": "earthquake -drill"}
    made = client.post("/api/watchlists", json=wanted, headers=WRITER)
    assert made.status_code == 201, made.text
    path = f"/api/watchlists/{made.json()['id']}/matches"
    live = get(client, "/api/search", q="earthquake -drill", status="live")["stories"]
    assert len(get(client, path)["matches"]) == live["total"] > 0
    form = look(client, "/watch?search=earthquake").one("input", name="search")
    assert form["value"] == "earthquake"
    bad = {"name": "x", "search": "after:never"}
    answer = client.post("/api/watchlists", json=bad, headers=WRITER)
    assert answer.status_code == 422


def test_a_watched_search_matches_the_stories_that_it_finds(
    client: TestClient,
) -> None:
    service = the_service(client)
    wanted = {"name": "Quakes", "search": "earthquake"}
    made = client.post("/api/watchlists", json=wanted, headers=WRITER).json()
    article = {
        "title": "Strong earthquake shakes Kestrel Bay again",
        "text": "A strong earthquake shook Kestrel Bay again on Monday.",
        "source": "Test Wire",
    }
    client.post("/api/articles", json=article, headers=WRITER)
    service.loop.finish()
    path = f"/api/watchlists/{made['id']}/matches"
    found = {match["story"]["id"] for match in get(client, path)["matches"]}
    expected = get(client, "/api/search", q="earthquake", status="live")["stories"]

    assert found == {hit["story"]["id"] for hit in expected["hits"]} != set()


def test_a_snippet_is_bounded_and_marks_whole_words() -> None:
    text = "Nothing here. " + "word " * 200 + "the Émigré came home " + "word " * 200
    parts = snippet_of(text, parse_query("emigre"))

    assert [part.text for part in parts if part.marked] == ["Émigré"]
    assert len("".join(part.text for part in parts)) < 320
    assert snippet_of("", parse_query("x")) == []


def test_pages_lose_nothing_when_articles_come_in_between(client: TestClient) -> None:
    given: dict[str, object] = {"q": "the", "articles": 20, "limit": 5}
    first = get(client, "/api/search", **given)
    seen = [hit["article"]["id"] for hit in first["articles"]["hits"]]
    stories = [hit["story"]["id"] for hit in first["stories"]["hits"]]
    article = {"title": "Nothing of the kind", "text": "A calm day.", "source": "X"}
    client.post("/api/articles", json=article, headers=WRITER)
    page = first
    while page["articles"]["next"] is not None:
        given["articles_cursor"] = page["articles"]["next"]
        page = get(client, "/api/search", **given)
        seen += [hit["article"]["id"] for hit in page["articles"]["hits"]]
    page = first
    while page["stories"]["next"] is not None:
        given["cursor"] = page["stories"]["next"]
        page = get(client, "/api/search", **given)
        stories += [hit["story"]["id"] for hit in page["stories"]["hits"]]

    assert len(set(seen)) == len(seen) == first["articles"]["total"]
    assert len(set(stories)) == len(stories) == first["stories"]["total"]


@pytest.mark.parametrize(
    "q",
    [
        " ".join(f"word{n}" for n in range(33)),
        " OR ".join(f"w{n}" for n in range(40)),
        "aa* bb* cc* dd* ee*",
        "a*",
    ],
)
def test_a_search_that_would_take_too_long_is_refused(
    reader: TestClient, q: str
) -> None:
    assert reader.get("/api/search", params={"q": q}).status_code == 400
    assert look(reader, f"/?q={quote(q)}", 400)


def test_a_slip_beside_a_filter_leaves_the_filter_alone(reader: TestClient) -> None:
    q = "1000 after:1000-01-01 eartquake"
    answer = reader.get("/api/search", params={"q": q})

    assert answer.status_code == 200
    assert "after:1000-01-01" in (answer.json()["corrected"] or "after:1000-01-01")
    assert reader.get("/", params={"q": q}, headers=HTML).status_code == 200
