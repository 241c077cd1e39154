"""Two thousand real articles of release 0.1.0 go on in this one, and in the next."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.postgres import PostgresServer
from ustory.core.method import METHOD
from ustory.store import Store
from ustory.store.epochs import all_epochs

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # six runs of a service
ROOT = Path(__file__).parents[2]
STREAMS = [
    ROOT.parent / "shared" / "data" / f"{name}.jsonl.gz"
    for name in ("newswarp-a", "allsides-2018")
]
RELEASED = "66a737f"
TAKEN, MORE, LAST = 2_000, 2_200, 2_400


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the source of release 0.1.0."""
    missing = [str(path) for path in STREAMS if not path.is_file()]
    if missing:
        pytest.skip(
            f"needs labelled streams that are no part of the project: {missing}"
        )
    packed = subprocess.run(
        ["git", "archive", RELEASED, "src"], cwd=ROOT, capture_output=True, check=False
    )
    if packed.returncode:
        pytest.skip(f"needs the history of the project, with commit {RELEASED}")
    folder = tmp_path_factory.mktemp("released")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as file:
        file.extractall(folder, filter="data")
    return folder / "src"


@pytest.fixture(scope="module")
def following(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the source of a release to come: a constant, a field, a method."""
    source = tmp_path_factory.mktemp("next") / "src"
    copytree(ROOT / "src", source)
    for file, old, new in (
        ("links/prior.py", r"^BASE = -0\.75$", "BASE = -0.70"),
        ("core/method.py", r"^METHOD = \d+$", f"METHOD = {METHOD + 1}"),
        (
            "links/state.py",
            r"^    next_serial: int = 0$",
            "    next_serial: int = 0\n    added: float = 0.5",
        ),
    ):
        path = source / "ustory" / file
        text, count = re.subn(old, new, path.read_text(), flags=re.MULTILINE)
        assert count == 1, file
        path.write_text(text)
    return source


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/archive.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.empty()


def run(
    source: Path, url: str, first: int, last: int, folder: Path
) -> Mapping[str, Any]:
    """Have a release read some articles into a database."""
    streams = [str(path) for path in STREAMS]
    done = subprocess.run(
        [
            *(sys.executable, "-W", "ignore", "-m", "tests.releases.live_run"),
            *(url, str(first), str(last), *streams),
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{source}:{ROOT}"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: Mapping[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert found["faults"] == []
    return found


def settled(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """See that articles which had left the window are in the stories they were in."""
    inside = set(before["window"])
    out = {a: s for a, s in before["places"].items() if a not in inside}
    assert len(out) > 1_000
    # they follow a story that becomes part of another, as ever
    now = {a: s if s is None else now_of(s, after["merged"]) for a, s in out.items()}
    assert {a: after["places"][a] for a in out} == now
    assert sum(now[a] == out[a] for a in out) >= 0.98 * len(out)
    held = [a for a in inside if before["places"][a] is not None]
    same = [a for a in held if after["places"][a] == before["places"][a]]
    assert len(same) >= 0.8 * len(held)


def now_of(story: str, merged: Mapping[str, str]) -> str:
    """Return what a story is part of now."""
    while story in merged:
        story = merged[story]
    return story


def test_an_archive_of_the_first_release_goes_on_in_this_one_and_the_next(
    url: str, released: Path, following: Path, tmp_path: Path
) -> None:
    first = run(released, url, 0, TAKEN, tmp_path)
    assert len(first["places"]) > 1_900
    second = run(ROOT / "src", url, TAKEN, MORE, tmp_path)
    settled(first, second)
    third = run(following, url, MORE, LAST, tmp_path)
    settled(second, third)
    store = Store.open(url)
    with store.read() as connection:
        found = [(epoch.reason, epoch.method) for epoch in all_epochs(connection)]
    store.close()
    assert found == [("begin", 1), ("method", METHOD), ("method", METHOD + 1)]
