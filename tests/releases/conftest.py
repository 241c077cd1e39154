"""A PostgreSQL server, and the databases of every release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.releases.kept import KEPT, Kept, name_of


@pytest.fixture(params=KEPT, ids=name_of)
def kept(request: pytest.FixtureRequest) -> Kept:
    """Return a database of a release, one after the other."""
    found: Kept = request.param
    return found


@pytest.fixture
def url(
    kept: Kept,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[str]:
    """Return the address of the database as the release left it."""
    monkeypatch.chdir(tmp_path)  # backups of PostgreSQL go there
    with kept.loaded(tmp_path, request) as address:
        yield address
