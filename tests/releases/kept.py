"""The databases that releases left behind, as tests open them."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.releases.databases import MODES, load_postgres, load_sqlite
from ustory.core.method import METHOD
from ustory.store.migrate import newest_revision

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

    @property
    def upgraded(self) -> bool:
        """Whether this release has another schema than the one that wrote it."""
        return _schema_and_method(self.release)[0] != newest_revision()

    @property
    def method(self) -> int:
        """The version of the method that wrote it."""
        return _schema_and_method(self.release)[1]

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


@cache
def _schema_and_method(release: str) -> tuple[str, int]:
    """Return what a release wrote its databases with."""
    content = gzip.decompress((RELEASES / release / "links.sqlite.gz").read_bytes())
    with closing(sqlite3.connect(":memory:")) as copy:
        copy.deserialize(content)
        (schema,) = copy.execute("SELECT version_num FROM alembic_version").fetchone()
        try:
            (method,) = copy.execute("SELECT MAX(method) FROM epochs").fetchone()
        except sqlite3.OperationalError:  # before there were epochs
            method = 1
    return str(schema), int(method)


def releases() -> list[str]:
    """Return all releases, by their folders."""
    return sorted(each.name for each in RELEASES.iterdir() if each.is_dir())


KEPT = [
    Kept(release, mode, database)
    for release in releases()
    for mode in MODES
    for database in DATABASES
]


UPGRADED = [kept for kept in KEPT if kept.upgraded]
"""Those whose schema is an older one."""
OTHER_METHOD = [kept for kept in KEPT if kept.method != METHOD]


def name_of(kept: Kept) -> str:
    """Return what a test is called after."""
    return f"{kept.release}-{kept.mode}-{kept.database}"
