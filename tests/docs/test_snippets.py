"""The examples in the documentation run, and print what they say they print."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from tests.docs.pages import Block, blocks, name_of, pages

RUN = ("python", "sh")
_ELSEWHERE = ("make", "git", "cd", "pip", "cp", "ustory encoders install")
"""Commands about the clone or the network, which no test runs."""


def _with_examples() -> list[Path]:
    return [page for page in pages() if any(b.kind in RUN for b in blocks(page))]


@pytest.fixture(autouse=True)
def news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with a small stream: what the examples are written for."""
    stream = files("ustory.demo") / "stream.jsonl"
    (tmp_path / "news.jsonl").write_bytes(stream.read_bytes())
    monkeypatch.chdir(tmp_path)
    beside = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", f"{beside}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize("page", _with_examples(), ids=name_of)
def test_the_examples_of_a_page_run_in_order(page: Path) -> None:
    namespace: dict[str, object] = {"__name__": "example"}
    printed = ""
    for block in blocks(page):
        if block.note.startswith("not run"):
            continue
        if block.note.startswith("file: "):
            Path(block.note.removeprefix("file: ")).write_text(block.text, "utf-8")
        elif block.note == "prints":
            assert printed == block.text, f"{name_of(page)}, line {block.line}"
        elif block.kind == "python":
            printed = _run_python(page, block, namespace)
        elif block.kind == "sh":
            printed = _run_shell(page, block)


def _run_python(page: Path, block: Block, namespace: dict[str, object]) -> str:
    # blank lines in front: a traceback then names the line of the page
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, namespace)  # noqa: S102
    return out.getvalue()


def _run_shell(page: Path, block: Block) -> str:
    script = "\n".join(_our_commands(block.text))
    bash = shutil.which("bash")
    if not script or bash is None:
        return ""
    done = subprocess.run(
        [bash, "-euo", "pipefail", "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, (
        f"{name_of(page)}, line {block.line}:\n{script}\n{done.stdout}{done.stderr}"
    )
    return done.stdout


def _our_commands(script: str) -> Iterator[str]:
    for line in script.splitlines():
        if not line.startswith(_ELSEWHERE):
            yield line
