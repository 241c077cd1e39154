"""Compiled loops outlive the names of their arguments' classes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_KERNEL = """
from typing import NamedTuple

from ustory.core.kernels import njit


class {name}(NamedTuple):
    value: int


@njit(cache=True)
def twice(given):
    return 2 * given.value


print(twice({name}(21)))
"""


def _run(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    (folder / "kernel.py").write_text(_KERNEL.format(name=name), encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-c", "import kernel"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_loop_whose_argument_has_another_name_is_compiled_again(
    tmp_path: Path,
) -> None:
    first = _run(tmp_path, "Given")
    kept = list(tmp_path.rglob("*.nbi"))
    second = _run(tmp_path, "Renamed")

    assert first.stdout == "42\n", first.stderr
    assert len(kept) == 1
    assert second.stdout == "42\n", second.stderr
