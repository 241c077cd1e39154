"""Feeds and exports hold what the lists hold; feeds to read can be kept."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import feedparser
import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient
from pydantic import BaseModel

from tests.hostile.growth import TURN, Turns
from tests.web.conftest import (
    GENEROUS,
    KEY,
    WRITER,
    copied,
    get,
    open_service,
    the_service,
)
from ustory.cli.db import db
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.models.shared import Input, Shape, example_of
from ustory.web.service import Rules

FEED = "https://harbourpost.example/rss.xml"
OPML = (
    '<opml version="2.0"><body><outline text="Folder">'
    '<outline text="One" xmlUrl="https://one.example/rss"/>'
    f'<outline text="Two" xmlUrl="{FEED}"/>'
    '<outline text="Inside" xmlUrl="http://192.168.0.1/rss"/>'
    "</outline></body></opml>"
)


def test_stories_are_fed_as_atom_and_as_json(reader: TestClient) -> None:
    listed = get(reader, "/api/stories", q="earthquake")["stories"]

    atom = feedparser.parse(reader.get("/api/stories.atom?q=earthquake").content)
    feed = reader.get("/api/stories.json?q=earthquake")

    headlines = [story["headline"] for story in listed]
    assert headlines
    assert not atom.bozo
    assert [entry.title for entry in atom.entries] == headlines
    assert feed.headers["content-type"].startswith("application/feed+json")
    assert [item["title"] for item in feed.json()["items"]] == headlines
    path = "/api/stories.json?q=earthquake"
    assert feed.json()["feed_url"] == f"http://testserver{path}"


def test_the_articles_of_a_story_are_fed(reader: TestClient) -> None:
    story = get(reader, "/api/stories", sort="size")["stories"][0]
    articles = get(reader, f"/api/stories/{story['id']}/articles")["articles"]

    atom = feedparser.parse(
        reader.get(f"/api/stories/{story['id']}/articles.atom").content
    )
    feed = get(reader, f"/api/stories/{story['id']}/articles.json")

    assert atom.feed.title == feed["title"] == story["headline"]
    assert [entry.title for entry in atom.entries] == [a["title"] for a in articles]
    assert [item["url"] for item in feed["items"]] == [a["url"] for a in articles]


def test_an_export_holds_every_story(reader: TestClient) -> None:
    lines = reader.get("/api/export/stories").text.splitlines()
    rows = list(
        csv.DictReader(io.StringIO(reader.get("/api/export/stories?format=csv").text))
    )

    exported = {json.loads(line)["id"]: json.loads(line) for line in lines}
    changed = get(reader, "/api/changes", since="2024-01-01", limit=200)["stories"]
    assert set(exported) == {story["id"] for story in changed}
    assert [row["id"] for row in rows] == list(exported)
    assert exported[changed[0]["id"]]["headline"] == changed[0]["headline"]


@pytest.mark.parametrize(("kind", "rows"), [("articles", 122), ("events", None)])
def test_articles_and_events_are_exported_too(
    reader: TestClient, kind: str, rows: int | None
) -> None:
    lines = reader.get(f"/api/export/{kind}").text.splitlines()

    assert len(lines) == rows if rows else len(lines) > 20
    assert "id" in json.loads(lines[0])


def test_an_export_can_be_parquet(reader: TestClient) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is missing")

    answer = reader.get("/api/export/articles?format=parquet")

    table = pq.read_table(io.BytesIO(answer.content))
    assert table.num_rows == 122
    assert 'filename="articles.parquet"' in answer.headers["content-disposition"]


def test_command_and_api_export_one_file_without_formulas(
    client: TestClient, tmp_path: Path
) -> None:
    formula = '=HYPERLINK("http://evil.example","x")'
    sent = {"title": formula, "text": "Some words.", "url": "https://a.example/1"}
    client.post("/api/articles", json=sent, headers=WRITER)
    database, file = the_service(client).store.url, tmp_path / "articles.csv"

    command = ["export", "articles", str(file), "--format", "csv"]
    done = CliRunner().invoke(db, [*command, "--database", database])
    answer = client.get("/api/export/articles?format=csv")

    assert done.exit_code == 0, done.output
    assert file.read_bytes() == answer.content
    titles = [row["title"] for row in csv.DictReader(io.StringIO(answer.text))]
    assert f"'{formula}" in titles
    assert formula not in titles


def test_feeds_are_added_listed_and_removed(client: TestClient) -> None:
    added = client.post("/api/feeds", json={"url": FEED}, headers=WRITER)
    again = client.post("/api/feeds", json={"url": FEED}, headers=WRITER)
    listed = get(client, "/api/feeds")["feeds"]
    removed = client.delete("/api/feeds", params={"url": FEED}, headers=WRITER)
    gone = client.delete("/api/feeds", params={"url": FEED}, headers=WRITER)

    assert (added.status_code, again.status_code) == (201, 409)
    assert [feed["url"] for feed in listed] == [FEED]
    assert (removed.status_code, gone.status_code) == (204, 404)


def test_a_feed_inside_is_refused(reader: TestClient) -> None:
    answer = reader.post(
        "/api/feeds", json={"url": "http://127.0.0.1/rss"}, headers=WRITER
    )

    assert answer.status_code == 422
    assert "--allow-private" in answer.json()["error"]["message"]


def test_a_list_of_feeds_goes_in_and_out(client: TestClient) -> None:
    headers = {**WRITER, "Content-Type": "text/x-opml"}
    first = client.post("/api/feeds.opml", content=OPML, headers=headers)
    second = client.post("/api/feeds.opml", content=OPML, headers=headers)
    out = client.get("/api/feeds.opml")

    assert first.json() == {"added": 2, "known": 0, "refused": 1}
    assert second.json() == {"added": 0, "known": 2, "refused": 1}
    assert FEED in out.text
    assert "192.168" not in out.text


def test_there_are_only_so_many_feeds(filled: Path, tmp_path: Path) -> None:
    rules = Rules(keys=Keys.of([KEY]), limits=replace(GENEROUS, feeds=1))
    service = open_service(copied(filled, tmp_path), rules)
    with TestClient(create_app(service)) as client:
        listed = client.post("/api/feeds.opml", content=OPML, headers=WRITER)
        first = client.post("/api/feeds", json={"url": FEED}, headers=WRITER)
        other = {"url": "https://two.example/rss"}
        second = client.post("/api/feeds", json=other, headers=WRITER)
        feeds = get(client, "/api/feeds")["feeds"]

    assert listed.status_code == 409
    assert "1 feeds may be read, and these would make 2" in listed.text
    assert (first.status_code, second.status_code) == (201, 409)
    assert [feed["url"] for feed in feeds] == [FEED]


def test_a_long_list_of_feeds_keeps_nobody_waiting(client: TestClient) -> None:
    longest = [_import_feeds(client, first) for first in (0, 6_000, 12_000)]

    assert min(longest) < TURN  # a busy machine may hold up one of them
    many = _outlines(range(20_000))
    more = client.post("/api/feeds.opml", content=f"<opml>{many}", headers=WRITER)
    assert more.status_code in (400, 413)


def _import_feeds(client: TestClient, first: int) -> float:
    """Import many feeds; return how long another thread got no turn meanwhile."""
    many = _outlines(range(first, first + 6_000))
    with Turns() as turns:
        answer = client.post(
            "/api/feeds.opml", content=f"<opml>{many}</opml>", headers=WRITER
        )
    assert answer.json()["added"] == 6_000
    return turns.longest


def _outlines(numbers: range) -> str:
    outline = '<outline title="{}" xmlUrl="https://a.example/{}"/>'
    return "".join(outline.format(" " * 800, number) for number in numbers)


def test_a_billion_laughs_are_not_laughed(reader: TestClient) -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "bbb">]><opml><body>&b;</body></opml>'

    answer = reader.post("/api/feeds.opml", content=bomb, headers=WRITER)

    assert answer.status_code == 400
    assert answer.json()["error"]["kind"] == "bad_request"


def _models(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for each in base.__subclasses__():
        yield each
        yield from _models(each)


@pytest.mark.parametrize("model", [*_models(Shape), *_models(Input)])
def test_the_example_of_a_model_has_its_shape(model: type[BaseModel]) -> None:
    example = example_of(model)

    read = model.model_validate(example)

    assert read.model_dump(mode="json", exclude_unset=True) == example
