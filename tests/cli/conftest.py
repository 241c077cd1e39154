"""A small stream of news, and a way to call the command on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.calls import Records, Ustory, write_lines
from ustory.cli.main import cli
from ustory.sources.demo import demo_stream


@pytest.fixture
def ustory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ustory:
    """Call the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(cli, list(map(str, arguments)), input=stdin)

    return call


@pytest.fixture(scope="session")
def news() -> Records:
    """Return nine days of the demo, with short texts."""
    lines = demo_stream().read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [
        {**record, "text": record["text"][:400]}
        for record in records
        if record["published_at"] < "2024-03-13"
    ]


@pytest.fixture
def stream(news: Records, tmp_path: Path) -> Path:
    """Return the file of the same."""
    return write_lines(tmp_path / "news.jsonl", news)
