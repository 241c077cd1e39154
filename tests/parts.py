"""The parts of the test suite: each test is in exactly one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

PARTS = {
    "slow": "takes minutes, or needs what a plain set-up does not have",
    "browser": "opens pages in Chromium",
    "postgres": "needs a PostgreSQL server, which it starts",
    "processes": "starts other processes, or kills them",
    "laboratory": "runs systems, experiments or reports of ustory-bench",
    "long": "takes more than a second or two, and is not the core of the method",
    "commit": "is quick and runs in one process: what every commit needs",
}
"""What is special about the tests of each part; `commit` has all the others."""

_BY_FIXTURE = {
    "browser": "browser",
    "postgres": "postgres",
    "postgres_url": "postgres",
    "server": "postgres",
    "other_url": "postgres",
}
BY_PATH = {
    "tests/bench/experiments": "laboratory",
    "tests/bench/load": "laboratory",
    "tests/bench/quality": "laboratory",
    "tests/bench/runner": "laboratory",
    "tests/bench/service/test_page_times.py": "processes",
    "tests/bench/service/test_query_drawing.py": "laboratory",
    "tests/browser": "browser",
    "tests/cli/test_cli_bench.py": "laboratory",
    "tests/cli/test_cli_load.py": "laboratory",
    "tests/contracts/test_systems.py": "laboratory",
    "tests/docs/test_serve_walk.py": "processes",
    "tests/docs/test_snippets.py": "long",
    "tests/engine/executors": "processes",
    "tests/hostile": "long",
    "tests/releases": "long",
    "tests/service/test_crashes.py": "long",
    "tests/service/test_executor.py": "processes",
    "tests/service/test_killed.py": "processes",
    "tests/service/test_retell.py": "long",
    "tests/service/test_soak.py": "long",
    "tests/service/test_survival.py": "processes",
    "tests/sources/test_quiet_imports.py": "processes",
    "tests/web/test_campaign.py": "processes",
    "tests/web/test_commands.py": "processes",
    "tests/web/test_connections.py": "processes",
    "tests/web/test_first_run.py": "processes",
    "tests/web/test_floods.py": "long",
    "tests/web/test_killed_service.py": "processes",
    "tests/web/test_lost_claim.py": "processes",
    "tests/web/test_schemathesis.py": "processes",
    "tests/web/test_serve_executors.py": "processes",
}
"""The part of all tests of a folder or a file that have no marker."""


def part_of(item: pytest.Item) -> str:
    """Return the part of a test: by its marker, by what it uses, by its path."""
    marked = {mark.name for mark in item.iter_markers()} & set(PARTS)
    if "slow" in marked:
        return "slow"
    if len(marked) > 1:
        raise pytest.UsageError(f"{item.nodeid} is in two parts: {sorted(marked)}")
    return next(iter(marked), None) or _by_use(item) or _by_path(item) or "commit"


def _by_use(item: pytest.Item) -> str | None:
    call: Any = getattr(item, "callspec", None)
    values = () if call is None else call.params.values()
    if any(isinstance(value, str) and value == "postgresql" for value in values):
        return "postgres"
    fixtures = getattr(item, "fixturenames", ())
    return next((_BY_FIXTURE[name] for name in fixtures if name in _BY_FIXTURE), None)


def _by_path(item: pytest.Item) -> str | None:
    path = item.path.relative_to(ROOT)
    names = [each.as_posix() for each in (path, *path.parents)]
    return next((BY_PATH[name] for name in names if name in BY_PATH), None)
