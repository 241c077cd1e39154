"""State files of a release: the command is run on a part of the demo stream.

`python -m tests.releases.states FOLDER` writes them with whichever ustory is imported,
so it uses what release 0.1.0 had, too. They are never written again: a release is over.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ustory.sources.demo import demo_stream
from ustory.stories.discovery import Discovery

READ = 70
"""Articles of the demo stream that were read when the state was written."""
STREAM = "news.jsonl"
OUTPUTS = ("events", "assignments")
MODES = {
    "links": ("--encoder", "tiny", "--window", "5d"),
    "paper": (
        *("--encoder", "tiny", "--window", "5d"),
        *("--preset", "paper", "--min-articles", "2"),
    ),
}
"""The flags of each mode; the smallest encoder, so that files are small."""


def write_states(folder: Path) -> None:
    """Write a state file of each mode, and what is expected of those that read them."""
    folder.mkdir(parents=True, exist_ok=True)
    expected = {mode: _written(folder / f"{mode}.state.gz", mode) for mode in MODES}
    text = json.dumps(expected, sort_keys=True) + "\n"
    (folder / "states.json").write_text(text, encoding="utf-8")


def _written(path: Path, mode: str) -> dict[str, Any]:
    """Write one state file; return what it holds, and what this release makes of it."""
    with TemporaryDirectory() as place:
        work = Path(place)
        lay_out(work, READ)
        discover(work, mode, outputs=False)
        held = (work / "news.state").read_bytes()
        path.write_bytes(gzip.compress(held, mtime=0))
        discovery, _ = Discovery.load(work / "news.state")
        assignments = discovery.engine.assignments(discovery.state)
        lay_out(work)
        discover(work, mode)
        return {
            "release": version("ustory"),
            "method": _method(),
            "articles": dict(assignments),
            "stories": sorted({s for s in assignments.values() if s is not None}),
            "events": lines(work / "events"),
            "assignments": [
                [line["slide_end"], line["article"], line["story"]]
                for line in lines(work / "assignments")
            ],
        }


def _method() -> int:
    try:
        from ustory.core.method import METHOD  # noqa: PLC0415 - 0.1.0 has none
    except ImportError:
        return 1
    return METHOD


def lay_out(work: Path, count: int | None = None) -> None:
    """Put the demo stream into a folder, or its first articles."""
    stream = demo_stream().read_text(encoding="utf-8").splitlines(keepends=True)
    (work / STREAM).write_text("".join(stream[:count]), encoding="utf-8")


def discover(work: Path, mode: str, *, outputs: bool = True) -> str:
    """Run the command in a folder, and return what it said on standard error."""
    given = [part for name in OUTPUTS for part in (f"--{name}", name)]
    command = "from ustory.cli.main import cli; cli()"
    arguments = ["discover", STREAM, "--state", "news.state", *MODES[mode]]
    arguments += given if outputs else []
    done = subprocess.run(
        [sys.executable, "-c", command, *arguments],
        cwd=work,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"discover failed: {done.stderr}")
    return done.stderr


def lines(path: Path) -> list[dict[str, Any]]:
    """Return a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    write_states(Path(sys.argv[1]))
