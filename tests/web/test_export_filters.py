"""Files of a part of the archive hold that part, by the API and by the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from tests.web.conftest import get, the_service
from ustory.cli.db import db


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
        ("articles?status=live", 400, "articles cannot be chosen by status; give some"),
        ("events?lang=en&source=x", 400, "events cannot be chosen by source, lang"),
        ("articles?q=quake&story_id=s1", 400, "no parameter q"),
        ("articles?story=s999999", 404, "there is no story s999999"),
        ("articles?story=%2F", 422, "query.story"),
        ("stories?since=soon", 422, "query.since"),
        ("secrets", 422, "path.kind"),
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
