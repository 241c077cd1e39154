"""The pages of the documentation, taken apart into blocks and links."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(
    r"^(?P<fence>```+)(?P<kind>\w*)\n(?P<text>.*?)^(?P=fence)\n", re.M | re.S
)
_NOTE = re.compile(r"<!-- (.+?) -->\s*\Z")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.M)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block, with its first line and the comment right before it."""

    kind: str
    text: str
    line: int
    note: str = ""


@cache
def project_files() -> tuple[Path, ...]:
    """Return every file of the project: what git tracks, or would."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return tuple(sorted(path for path in paths if path.is_file()))


def pages() -> list[Path]:
    """Return the pages: README and its neighbours, and all of docs/."""
    return [path for path in project_files() if path.suffix == ".md"]


def name_of(page: Path) -> str:
    """Return what test reports call a page."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        note = _NOTE.search(text, 0, found.start())
        line = text.count("\n", 0, found.start("text")) + 1
        yield Block(found["kind"], found["text"], line, note[1] if note else "")


def without_examples(text: str) -> str:
    """Return the text of a page without its fenced blocks."""
    return _FENCE.sub("", text)


def links(page: Path) -> list[str]:
    """Return the targets of the links and pictures of a page."""
    return _LINK.findall(without_examples(page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """Return the anchors that the headings of a page make."""
    text = without_examples(page.read_text(encoding="utf-8"))
    plain = (re.sub(r"[^\w\- ]", "", title.lower()) for title in _HEADING.findall(text))
    return {title.replace(" ", "-") for title in plain}


def table_rows(page: Path) -> list[list[str]]:
    """Return the cells of every table row of a page, without the marks of code."""
    lines = page.read_text(encoding="utf-8").splitlines()
    rows = (line.strip("|").split("|") for line in lines if line.startswith("|"))
    return [[cell.strip().strip("`") for cell in row] for row in rows]
