"""Files of a part of the archive hold that part, by the API and by the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from tests.web.conftest import get, the_service
from ustory.cli.db import db
from ustory.store.export_filters import RULES
from ustory.web.api.export import ArticleExport, EventExport, StoryExport


def _ids(text: str, key: str = "id") -> list[str]:
    return [json.loads(line)[key] for line in text.splitlines()]


def test_a_story_is_exported_alone(reader: TestClient) -> None:
    story = get(reader, "/api/stories", sort="size")["stories"][0]["id"]
    told = get(reader, f"/api/stories/{story}/articles", limit=200)["articles"]

    lines = reader.get(f"/api/export/articles?story={story}").text
    assigned = reader.get(f"/api/export/assignments?story={story}").text

    assert sorted(_ids(lines)) == sorted(article["id"] for article in told)
    assert _ids(assigned, "article") == _ids(lines)
    assert len(told) < 122


def test_stories_are_exported_as_they_are_listed(reader: TestClient) -> None:
    asked = {"status": "live", "lang": "en", "since": "2024-03-10"}
    listed = get(reader, "/api/stories", **asked, limit=200)["stories"]

    lines = reader.get("/api/export/stories", params=asked).text

    assert sorted(_ids(lines)) == sorted(story["id"] for story in listed)
    assert 0 < len(listed) < len(reader.get("/api/export/stories").text.splitlines())


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("events?status=live", 400, "no parameter status; those it has are format, "),
        ("events?lang=en&source=x", 400, "has no parameter lang, source; those it"),
        ("articles?quake=1&story_id=s1", 400, "no parameter quake, story_id"),
        ("articles?story=s999999", 404, "there is no story s999999"),
        ("articles?story=%2F", 422, "query.story"),
        ("stories?since=soon", 422, "query.since"),
        ("secrets", 404, "there is nothing at /api/export/secrets"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_sent(
    reader: TestClient, path: str, status: int, words: str
) -> None:
    answer = reader.get(f"/api/export/{path}")

    assert answer.status_code == status
    assert words in answer.json()["error"]["message"]


def test_the_command_takes_the_same_filters(client: TestClient, tmp_path: Path) -> None:
    database, file = the_service(client).store.url, tmp_path / "part.csv"
    story = get(client, "/api/stories", sort="size")["stories"][0]["id"]
    asked = {"story": story, "since": "2024-03-05", "lang": "en"}
    flags = [part for name, value in asked.items() for part in (f"--{name}", value)]

    command = ["export", "articles", str(file), "--format", "csv"]
    done = CliRunner().invoke(db, [*command, *flags, "--database", database])
    answer = client.get("/api/export/articles", params={**asked, "format": "csv"})

    assert done.exit_code == 0, done.output
    assert file.read_bytes() == answer.content
    assert len(file.read_text().splitlines()) > 1


@pytest.mark.parametrize(
    ("what", "flags", "words"),
    [
        ("archive", ["--lang", "en"], "an archive is whole; leave out --lang"),
        ("articles", ["--status", "live"], "articles cannot be chosen by status"),
        ("stories", ["--story", "s999999"], "there is no story s999999"),
        ("events", ["--since", "soon"], "--since takes a date or a time"),
    ],
)
def test_the_command_refuses_what_does_not_fit_and_writes_no_file(
    client: TestClient, tmp_path: Path, what: str, flags: list[str], words: str
) -> None:
    database, file = the_service(client).store.url, tmp_path / "part"

    command = ["export", what, str(file), *flags, "--database", database]
    done = CliRunner().invoke(db, command)

    assert done.exit_code != 0
    assert words in str(done.exception)
    assert not file.exists()


_LISTED = {
    "articles": {"q", "size", "status", "keyword"},
    "assignments": {"q", "size", "status", "keyword"},
    "events": set[str](),
    "stories": {"q", "size"},
}
"""Filters that the API takes from the lists, and the store as numbers."""


def test_the_api_has_the_filters_that_the_store_has() -> None:
    asked: dict[str, type[EventExport]] = {
        "articles": ArticleExport,
        "assignments": ArticleExport,
        "events": EventExport,
        "stories": StoryExport,
    }

    assert {
        kind: {*model.model_fields} - {"format"} for kind, model in asked.items()
    } == {kind: set(rules) | _LISTED[kind] for kind, rules in RULES.items()}
