"""The reader's language: headlines in it on pages, in the API and in feeds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from tests.polyglot import TITLES, polyglot, tags_hold
from tests.web.conftest import get, open_service
from tests.web.looking import HTML, Looked
from ustory.web.app import create_app
from ustory.web.pages.formatting import story_path
from ustory.web.pages.reader_language import ReaderLanguage, accepted, is_tag

TOLD = {
    lang: [title for tag, title in TITLES["bridge"] if tag.startswith(lang)]
    for lang in ("en", "es", "ar", "zh")
}
_ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(autouse=True, scope="module")
def _tags() -> Iterator[None]:
    with tags_hold():
        yield


@pytest.fixture(scope="module")
def polyglots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Return a client of a service with a story in four languages."""
    database: Path = tmp_path_factory.mktemp("languages") / "filled.db"
    service = open_service(database)
    service.loop.start()
    service.intake.accept(polyglot(), "test")
    service.loop.finish()
    with TestClient(create_app(service)) as client:
        yield client
    service.store.close()


def bridge(client: TestClient, **asked: str) -> dict[str, object]:
    found: dict[str, object] = get(client, "/api/stories", sort="size", **asked)[
        "stories"
    ][0]
    return found


def page(client: TestClient, path: str, accept: str = "", cookie: str = "") -> Looked:
    headers = {**HTML, "Accept-Language": accept}
    if cookie:
        headers["Cookie"] = f"ustory-language={cookie}"
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    assert "Accept-Language" in answer.headers["vary"]
    assert "Cookie" in answer.headers["vary"]
    return Looked(answer.text)


def headline(shown: Looked) -> str:
    return str(shown.one("h1").text)


def test_the_api_tells_languages_and_takes_one(polyglots: TestClient) -> None:
    plain = bridge(polyglots)
    assert plain["headline"] in TOLD["en"]
    assert plain["headline_lang"] == plain["lang"] == "en"
    assert plain["languages"] == [
        {"lang": lang, "articles": n}
        for lang, n in (("en", 2), ("es", 2), ("ar", 1), ("en-GB", 1), ("zh", 1))
    ]
    for lang in ("es", "ar", "zh"):
        told = bridge(polyglots, reader=lang)
        assert told["headline"] in TOLD[lang]
        assert told["headline_lang"] == lang
    assert bridge(polyglots, reader="de-CH") == plain
    other = get(polyglots, "/api/stories", sort="size", reader="es")["stories"][1]
    assert other["languages"] == [{"lang": "en", "articles": 2}]
    assert other["headline_lang"] == "en"


def test_every_address_with_stories_takes_a_reader(polyglots: TestClient) -> None:
    story = bridge(polyglots)["id"]
    for path, place in {
        f"/api/stories/{story}": ("story",),
        "/api/changes": ("stories", 0),
        "/api/search?q=marlow": ("stories", "hits", 0, "story"),
        "/api/timeline?zoom=day&sort=size": ("stories", 0, "story"),
    }.items():
        found = polyglots.get(path, params=None).json()
        told = polyglots.get(f"{path}{'&' if '?' in path else '?'}reader=ar").json()
        for step in place:
            found, told = found[step], told[step]
        assert found["headline"] in TOLD["en"], path
        assert told["headline"] in TOLD["ar"], path


@pytest.mark.parametrize("wrong", ["german!", "", "x", "e" * 60, "../etc", "en_US"])
def test_no_language_is_refused_by_the_api(polyglots: TestClient, wrong: str) -> None:
    answer = polyglots.get("/api/stories", params={"reader": wrong})
    assert answer.status_code == 422
    assert "reader" in answer.json()["error"]["message"]


def test_the_api_does_not_go_by_the_browser(polyglots: TestClient) -> None:
    one = polyglots.get("/api/stories", headers={"Accept-Language": "es"})
    two = polyglots.get("/api/stories", headers={"Accept-Language": "ar"})
    assert one.content == two.content
    assert one.headers["etag"] == two.headers["etag"]
    three = polyglots.get("/api/stories", params={"reader": "ar"})
    assert three.headers["etag"] != one.headers["etag"]


def test_feeds_have_titles_and_keywords_in_a_language(polyglots: TestClient) -> None:
    for lang in ("es", "zh"):
        path = f"/api/stories.atom?reader={lang}&q=marlow"
        (entry,) = fromstring(polyglots.get(path).content).iter(f"{_ATOM}entry")
        assert entry.findtext(f"{_ATOM}title") in TOLD[lang]
        feed = polyglots.get(f"/api/stories.json?reader={lang}&q=marlow").json()
        (item,) = feed["items"]
        assert item["title"] in TOLD[lang]
        assert item["language"] == lang
        assert (
            feed["home_page_url"].endswith("/?q=marlow&status=all")
            or "marlow" in (feed["home_page_url"])
        )
        assert "Languages:" in item["content_text"]


def test_pages_go_by_the_browser_and_by_what_was_chosen(polyglots: TestClient) -> None:
    path = story_path(str(bridge(polyglots)["id"]))
    assert headline(page(polyglots, path)) in TOLD["en"]
    assert headline(page(polyglots, path, "es-MX,en;q=0.5")) in TOLD["es"]
    assert headline(page(polyglots, path, "de,zh;q=0.9,en;q=0.8")) in TOLD["zh"]
    assert headline(page(polyglots, path, "es", "ar")) in TOLD["ar"]
    assert headline(page(polyglots, path, "es", "most")) in TOLD["en"]
    assert headline(page(polyglots, path, "es", "<script>")) in TOLD["es"]


def test_the_feed_of_a_page_is_in_the_language_that_was_chosen(
    polyglots: TestClient,
) -> None:
    for path in ("/", "/?q=marlow", "/watch", story_path(str(bridge(polyglots)["id"]))):
        assert "reader=" not in _feed(polyglots, path)
        told = page(polyglots, path, "es", "zh")
        address = _feed(polyglots, path, "zh")
        assert told.all("a", href=address)
        assert address.endswith("reader=zh")
        assert polyglots.get(address).status_code == 200


def _feed(client: TestClient, path: str, cookie: str = "") -> str:
    shown = page(client, path, cookie=cookie)
    return shown.one("link", type="application/atom+xml")["href"]


def test_titles_say_their_language_and_their_direction(polyglots: TestClient) -> None:
    path = story_path(str(bridge(polyglots)["id"]))
    shown = page(polyglots, path, cookie="ar")
    assert shown.one("h1")["lang"] == "ar"
    assert shown.one("h1")["dir"] == "auto"
    titles = {
        element.text.strip(): element.attributes.get("lang")
        for element in shown.all("bdi")
    }
    for tag, title in TITLES["bridge"]:
        foreign = None if tag.startswith("en") else tag
        assert titles[title] == foreign, title
    assert "lang" not in page(polyglots, path, cookie="en").one("h1").attributes


def test_lists_name_languages_where_there_are_several(polyglots: TestClient) -> None:
    shown = page(polyglots, "/", "en")
    (told,) = shown.all("span", class_="languages")
    assert told.text == "in English 3, Spanish 2, Arabic 1, Chinese 1"
    for_spaniards = page(polyglots, "/", "es").all("span", class_="languages")
    assert len(for_spaniards) == 2  # the other story is in none of their languages


def test_a_language_is_chosen_at_the_foot_of_a_page(polyglots: TestClient) -> None:
    for asked, cookie in (
        ({"language": "German"}, "de"),
        ({"language": "pt-BR"}, "pt-BR"),
        ({"language": "Portuguese (pt-BR)"}, "pt-BR"),
        ({"language": "de", "choose": "most"}, "most"),
    ):
        answer = polyglots.get(
            "/language", params={**asked, "back": "/?q=a"}, follow_redirects=False
        )
        assert answer.status_code == 303
        assert answer.headers["location"] == "/?q=a"
        assert f"ustory-language={cookie};" in answer.headers["set-cookie"]
        assert answer.headers["cache-control"] == "no-store"
    for gone in ({"language": ""}, {"language": "de", "choose": "browser"}):
        answer = polyglots.get("/language", params=gone, follow_redirects=False)
        assert "Max-Age=0" in answer.headers["set-cookie"]
    polyglots.cookies.clear()


@pytest.mark.parametrize("wrong", ["no such language", "a\r\nSet: b", "ä", "x" * 90])
def test_what_is_no_language_is_refused(polyglots: TestClient, wrong: str) -> None:
    answer = polyglots.get("/language", params={"language": wrong}, headers=HTML)
    assert answer.status_code == 400
    assert "set-cookie" not in answer.headers


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_cookie_and_any_header_gives_tags(cookie: str, header: str) -> None:
    reading = ReaderLanguage.of(cookie, header)
    assert all(map(is_tag, reading.tags))
    assert len(reading.tags) <= 10
    assert reading.tags == (() if reading.chosen == "most" else reading.tags)


def test_a_header_is_read_by_quality() -> None:
    assert accepted("da, en-GB;q=0.8, en;q=0.7") == ("da", "en-GB", "en")
    assert accepted("en;q=abc, *, de;q=0.001, ;;;,,") == ("de",)
    assert accepted("x" * 10_000) == ()
    assert accepted(",".join(f"en-{n:03d}" for n in range(200))) == tuple(
        f"en-{n:03d}" for n in range(10)
    )


def test_the_document_of_the_api_names_the_parameter(polyglots: TestClient) -> None:
    paths = json.loads(polyglots.get("/api/openapi.json").content)["paths"]
    named = {
        path: [p["name"] for p in methods.get("get", {}).get("parameters", ())]
        for path, methods in paths.items()
    }
    taking = {path for path, names in named.items() if "reader" in names}
    assert {"/api/stories", "/api/search", "/api/stories.atom", "/api/map"} <= taking
