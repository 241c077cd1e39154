"""The databases that releases left behind, as tests open them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.releases.databases import MODES, load_postgres, load_sqlite

RELEASES = Path(__file__).parents[1] / "fixtures" / "releases"
DATABASES = ("sqlite", "postgresql")


@dataclass(frozen=True, slots=True)
class Kept:
    """A database of a release."""

    release: str
    mode: str
    database: str

    @property
    def said(self) -> Mapping[str, Any]:
        """What the release said of its articles and stories."""
        file = RELEASES / self.release / f"{self.mode}.json"
        found: Mapping[str, Any] = json.loads(file.read_text())
        return found

    @contextmanager
    def loaded(self, folder: Path, request: pytest.FixtureRequest) -> Iterator[str]:
        """Give the address of a database as the release left it."""
        place = RELEASES / self.release
        if self.database == "sqlite":
            yield load_sqlite(place / f"{self.mode}.sqlite.gz", folder / "archive.db")
            return
        url = request.getfixturevalue("postgres").empty()
        load_postgres(place / f"{self.mode}.postgresql.sql.gz", url)
        yield url


def releases() -> list[str]:
    """Return all releases, by their folders."""
    return sorted(each.name for each in RELEASES.iterdir() if each.is_dir())


KEPT = [
    Kept(release, mode, database)
    for release in releases()
    for mode in MODES
    for database in DATABASES
]


def name_of(kept: Kept) -> str:
    """Return what a test is called after."""
    return f"{kept.release}-{kept.mode}-{kept.database}"
