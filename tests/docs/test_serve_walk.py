"""The walk through the API works as written, and leaves nothing out."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Block, blocks, table_rows

WALK = ROOT / "docs" / "how-to" / "serve.md"
REFERENCE = ROOT / "docs" / "reference" / "api.md"
WRITTEN = "http://127.0.0.1:8000"
KEY = "a-key-for-the-walk-that-nobody-guesses"
_PATIENCE = 120.0
# an error of the server is an error of the walk
_STRICT = 'set -euo pipefail\ncurl() { command curl --fail-with-body "$@"; echo; }\n'

pytestmark = pytest.mark.skipif(
    shutil.which("curl") is None or shutil.which("bash") is None,
    reason="the walk needs bash and curl",
)


@dataclass(frozen=True, slots=True)
class Demo:
    """A server of the demo that has told its whole stream."""

    address: str
    folder: Path

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a script of the page against this server."""
        return subprocess.run(
            ["bash", "-c", _STRICT + script.replace(WRITTEN, self.address)],
            cwd=self.folder,
            env={**os.environ, "KEY": KEY},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """Start `ustory serve --demo` as a user does, and stop it as a user does."""
    folder = tmp_path_factory.mktemp("walk")
    command = [sys.executable, "-c", "from ustory.cli.main import cli; cli()"]
    process = subprocess.Popen(
        [*command, "serve", "--demo", "--pace", "0", "--port", "0"],
        cwd=folder,
        env={**os.environ, "USTORY_API_KEYS": KEY, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://[0-9.:]+", line)
    assert found is not None, line
    try:
        _await_stories(found[0])
        yield Demo(found[0], folder)
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "stopped; the database of the demo was temporary and is removed" in rest


def _await_stories(address: str) -> None:
    """Wait until the last slide of the stream is done."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        with urllib.request.urlopen(f"{address}/readyz", timeout=20) as answer:
            ready = json.load(answer)
        if ready["behind"] == ready["pending"] == 0 and ready["slide"]:
            return
        time.sleep(0.2)
    pytest.fail(f"the demo was not told in {_PATIENCE:.0f} s: {ready}")


def _scripts() -> list[tuple[Block, Block | None]]:
    """Return the commands of the page, each with what it says they answer."""
    every = list(blocks(WALK))
    return [
        (block, after if after is not None and after.note == "answers" else None)
        for block, after in zip(every, [*every[1:], None], strict=True)
        if block.kind == "bash"
    ]


def _shows(answers: str, printed: str) -> bool:
    """Tell whether all that is written was printed in this order; … is anything."""
    pieces = [re.escape(piece) for piece in re.split(r"…|\n", answers) if piece]
    return re.search(".*?".join(pieces), printed, re.S) is not None


def test_the_walk_answers_what_it_says(demo: Demo) -> None:
    for block, answers in _scripts():
        done = demo.run(block.text)
        where = f"{WALK.name}, line {block.line}"
        assert done.returncode == 0, f"{where}\n{done.stdout}\n{done.stderr}"
        if answers is not None:
            assert _shows(answers.text, done.stdout), f"{where}\n{done.stdout}"


def _asked() -> set[tuple[str, str]]:
    """Return the methods and paths of all commands of the page."""
    asked = set()
    for block, _ in _scripts():
        for call in re.split(
            r"^(?=curl )", block.text.replace("\\\n", " "), flags=re.M
        ):
            found = re.search(rf"{re.escape(WRITTEN)}([^\s'\"?]*)", call)
            if found is not None:
                method = re.search(r"-X (\w+)", call)
                sends = "--json" in call or "--data-binary" in call
                default = "POST" if sends else "GET"
                asked.add((method[1] if method else default, found[1]))
    return asked


def _endpoints(demo: Demo) -> set[tuple[str, str]]:
    with urllib.request.urlopen(f"{demo.address}/api/openapi.json") as answer:
        paths = json.load(answer)["paths"]
    return {(method.upper(), path) for path in paths for method in paths[path]}


def _form(path: str) -> re.Pattern[str]:
    """Return what the addresses of an endpoint look like."""
    pieces = re.split(r"\{\w+\}", path)
    return re.compile("[^/]+".join(map(re.escape, pieces)))


def test_the_walk_comes_by_every_endpoint(demo: Demo) -> None:
    asked = _asked()
    missed = [
        (method, path)
        for method, path in _endpoints(demo)
        if not any(m == method and _form(path).fullmatch(there) for m, there in asked)
    ]

    assert missed == []


def test_the_reference_lists_every_endpoint_and_the_scope_of_its_key(
    demo: Demo,
) -> None:
    rows = {row[0]: row[2] for row in table_rows(REFERENCE) if len(row) == 3}
    with urllib.request.urlopen(f"{demo.address}/api/openapi.json") as answer:
        paths = json.load(answer)["paths"]
    there = {
        f"{method.upper()} {path}": ", ".join(
            scope for each in operation.get("security", ()) for scope in each["key"]
        )
        for path, methods in paths.items()
        for method, operation in methods.items()
    }

    listed = {name: key for name, key in rows.items() if " /" in name}
    assert listed == there
