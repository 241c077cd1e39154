"""What every page has: headers, landmarks, a twin, files, errors and who may look."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import GENEROUS, KEY, get, open_service, the_service
from tests.web.looking import HTML, Looked, look
from ustory.store.errors import Unavailable
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.pages.assets import STATIC, static_path
from ustory.web.pages.formatting import article_path, story_path
from ustory.web.service import Rules


@pytest.fixture(scope="module")
def paths(reader: TestClient) -> list[str]:
    """Return an address of each page."""
    story = get(reader, "/api/stories")["stories"][0]["id"]
    article = get(reader, f"/api/stories/{story}/articles")["articles"][0]["id"]
    return ["/", story_path(story), article_path(article)]


def test_nothing_is_run_that_is_written_into_a_page(
    reader: TestClient, paths: list[str]
) -> None:
    for path in [*paths, "/stories/none"]:
        answer = reader.get(path, headers=HTML)
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        page = Looked(answer.text)
        assert all("src" in script.attributes for script in page.all("script"))
        for element in page.elements:
            assert not [a for a in element.attributes if a.startswith("on")]
            assert "style" not in element.attributes
        assert not page.all("style")


def test_every_page_has_its_landmarks_and_headings_in_order(
    reader: TestClient, paths: list[str]
) -> None:
    for path in paths:
        page = look(reader, path)
        for tag in ("header", "main", "footer"):
            assert page.all(tag), (path, tag)
        assert page.one("html")["lang"] == "en"
        assert page.one("a", class_="skip")["href"] == "#main"
        levels = [int(e.tag[1]) for e in page.elements if e.tag in ("h1", "h2", "h3")]
        assert levels.count(1) == 1, path
        assert all(b - a <= 1 for a, b in pairwise(levels)), path


def test_every_id_is_there_once_and_every_label_has_its_field(
    reader: TestClient, paths: list[str]
) -> None:
    for path in paths:
        page = look(reader, path)
        ids = [e["id"] for e in page.elements if "id" in e.attributes]
        assert len(ids) == len(set(ids)), path
        for element in page.elements:
            for name in ("aria-labelledby", "for", "list"):
                assert element.attributes.get(name, ids[0]) in ids, (path, name)


def test_the_twin_of_every_page_is_json(reader: TestClient, paths: list[str]) -> None:
    for path in paths:
        page = look(reader, path)
        twin = page.one("link", type="application/json")["href"]
        assert reader.get(twin).headers["content-type"] == "application/json"
        assert [a for a in page.all("a") if a.attributes.get("href") == twin]


def test_every_file_a_page_names_is_there_and_kept_for_long(
    reader: TestClient, paths: list[str]
) -> None:
    for path in paths:
        page = look(reader, path)
        named = [e["src"] for e in page.all("script")]
        named += [e["href"] for e in page.all("link", rel="stylesheet")]
        named += [e["href"] for e in page.all("link", rel="icon")]
        for name in named:
            answer = reader.get(name)
            assert answer.status_code == 200, name
            assert "immutable" in answer.headers["cache-control"]


def test_a_script_without_a_version_is_asked_for_again(reader: TestClient) -> None:
    answer = reader.get("/static/js/live.js")

    assert answer.headers["cache-control"] == "no-cache"
    again = {"If-None-Match": answer.headers["etag"]}
    assert reader.get("/static/js/live.js", headers=again).status_code == 304


def test_plotly_comes_packed_from_the_package_and_once(reader: TestClient) -> None:
    packed = reader.get("/static/plotly.min.js")
    plain = reader.get("/static/plotly.min.js", headers={"Accept-Encoding": ""})
    tag = {"If-None-Match": packed.headers["etag"]}

    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content
    assert b"plotly" in plain.content[:200]
    assert reader.get("/static/plotly.min.js", headers=tag).status_code == 304


def test_files_outside_the_folder_are_not_given(reader: TestClient) -> None:
    for name in ("../app.py", "%2e%2e/app.py", "css/../../app.py", "css"):
        assert reader.get(f"/static/{name}").status_code in (404, 405)


def test_a_file_that_changes_has_another_address() -> None:
    for path in STATIC.rglob("*.*"):
        assert "?v=" in static_path(path.relative_to(STATIC).as_posix())


@pytest.mark.parametrize("theme", ["light", "dark", "<b>", ""])
def test_the_chosen_colours_are_written_into_the_page(
    reader: TestClient, theme: str
) -> None:
    answer = reader.get("/", headers={**HTML, "Cookie": f"ustory-theme={theme}"})
    html = Looked(answer.text).one("html")

    wanted = theme if theme in ("light", "dark") else None
    assert html.attributes.get("data-theme") == wanted


def test_an_address_that_is_none_is_a_page_for_people_and_json_for_programs(
    reader: TestClient,
) -> None:
    page = look(reader, "/nowhere", 404)
    assert page.one("h1").text == "There is nothing here"

    for path, accept in (("/nowhere", "*/*"), ("/api/nowhere", "text/html")):
        answer = reader.get(path, headers={"Accept": accept})
        assert answer.json()["error"]["kind"] == "not_found"


def test_a_database_that_is_away_is_said_calmly(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise Unavailable("gone", "gone")

    monkeypatch.setattr(type(the_service(client).store), "read", lambda _: away())
    page = look(client, "/", 503)

    assert page.one("h1").text == "The database is unavailable"


def test_what_nobody_foresaw_is_a_page_without_a_word_of_it(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a secret of the house")

    monkeypatch.setattr("ustory.web.pages.now.news_since", broken)
    page = look(client, "/", 500)

    assert "secret" not in page.html


def test_a_private_service_asks_browsers_for_a_login(database: Path) -> None:
    rules = Rules(keys=Keys.of([KEY]), private=True, limits=GENEROUS)
    service = open_service(database, rules)
    with TestClient(create_app(service)) as client:
        refused = client.get("/", headers=HTML)
        wrong = client.get("/", headers=HTML, auth=("me", "wrong"))
        allowed = client.get("/", headers=HTML, auth=("me", KEY))
        twin = client.get("/api/stories", auth=("me", KEY))
        write = client.post("/api/articles", json={"title": "a"}, auth=("me", KEY))
    service.store.close()

    assert (refused.status_code, wrong.status_code) == (401, 401)
    assert 'Basic realm="ustory"' in refused.headers["www-authenticate"]
    assert (allowed.status_code, twin.status_code) == (200, 200)
    assert write.status_code == 401  # other sites can make browsers send a login


def test_pages_are_not_part_of_the_api(reader: TestClient) -> None:
    paths = get(reader, "/api/openapi.json")["paths"]

    ours = ("/api", "/healthz", "/readyz", "/metrics")
    assert [path for path in paths if not path.startswith(ours)] == []
