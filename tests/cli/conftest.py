"""A small stream of news, and a way to call the command on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ustory.cli.main import cli
from ustory.demo import demo_stream

Ustory = Callable[..., Result]
Records = list[dict[str, Any]]

FAST = ("--encoder", "tiny", "--min-articles", "2", "--window", "3d")
"""Flags for a run of a fraction of a second, in which stories also expire."""


@pytest.fixture
def ustory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ustory:
    """Call the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(cli, list(map(str, arguments)), input=stdin)

    return call


@pytest.fixture(scope="session")
def news() -> Records:
    """Nine days of the demo, with short texts."""
    lines = demo_stream().read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [
        {**record, "text": record["text"][:400]}
        for record in records
        if record["published_at"] < "2024-03-13"
    ]


@pytest.fixture
def stream(news: Records, tmp_path: Path) -> Path:
    """The same as a file."""
    return write_lines(tmp_path / "news.jsonl", news)


def write_lines(path: Path, records: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def read_lines(path: Path) -> Records:
    return [json.loads(line) for line in path.read_text().splitlines()]
