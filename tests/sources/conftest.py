"""What the tests of the way in share."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

NOW = datetime(2024, 6, 1, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    """Return the time at which the tests read."""
    return NOW


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, bytes], str]:
    """Return a function that puts bytes into a new file and returns its path."""

    def into(name: str, data: bytes) -> str:
        path = tmp_path / name
        path.write_bytes(data)
        return str(path)

    return into


@pytest.fixture
def record() -> Callable[..., bytes]:
    """Return a function that gives the line of a sound record."""

    def line(identity: str = "a", **changes: object) -> bytes:
        sound = {"id": identity, "date": "2024-03-07", "title": f"Title {identity}"}
        return json.dumps({**sound, **changes}).encode() + b"\n"

    return line
