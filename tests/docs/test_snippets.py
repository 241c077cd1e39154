"""The examples in the documentation run, and print what they say they print."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.docs.pages import Block, blocks, name_of, pages
from ustory.cli.main import cli
from ustory.sources.demo import demo_stream

RUN = ("python", "sh")
_ELSEWHERE = ("make", "git", "cd", "pip", "cp", "ustory encoders install")
"""Commands about the clone or the network, which no test runs."""


def _is_late(article: dict[str, str]) -> bool:
    return article["published_at"] >= "2024-03-13"


def _with_examples() -> list[Path]:
    return [page for page in pages() if any(b.kind in RUN for b in blocks(page))]


@pytest.fixture(autouse=True)
def news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with a small stream: the last days of the demo's."""
    stream = demo_stream().read_text(encoding="utf-8")
    lines = [line for line in stream.splitlines() if _is_late(json.loads(line))]
    (tmp_path / "news.jsonl").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)


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
        exec(code, namespace)
    return out.getvalue()


def _run_shell(page: Path, block: Block) -> str:
    """Run our commands of a script in this process: starting one takes a second."""
    printed = ""
    for line in block.text.splitlines():
        command, _, _ = line.partition(" # ")
        if not command.strip() or command.startswith(_ELSEWHERE):
            continue
        before, pipe, ours = command.rpartition(" | ")
        given = Path(before.removeprefix("cat ")).read_bytes() if pipe else None
        name, *arguments = shlex.split(ours)
        assert name == "ustory", f"{name_of(page)}: cannot run {line!r}"
        done = CliRunner().invoke(cli, arguments, input=given)
        where = f"{name_of(page)}, line {block.line}: {line}"
        assert done.exit_code == 0, f"{where}\n{done.output}\n{done.exception!r}"
        printed += done.stdout
    return printed
