"""What the tests of the command share: quick flags, and files of lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from click.testing import Result

Ustory = Callable[..., Result]
Records = list[dict[str, Any]]

FAST = ("--encoder", "tiny", "--set", "gist_encoder=none", "--window", "3d")
PAPER = (*FAST, "--preset", "paper", "--min-articles", "2")
"""Flags for a run of a fraction of a second, in which stories also expire."""


def write_lines(path: Path, records: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def read_lines(path: Path) -> Records:
    return [json.loads(line) for line in path.read_text().splitlines()]
