"""Parts of a page that a program writes: between two comments, by name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from tests.docs.pages import ROOT

Part: TypeAlias = Callable[..., str]
"""Called with the page and the words of the comment; returns Markdown."""

_PART = re.compile(
    r"^<!-- written by make docs: (?P<name>[\w-]+)(?P<words>(?: [\w.-]+)*) -->\n"
    r"(?P<text>.*?)"
    r"^<!-- until here -->$",
    re.M | re.S,
)
_OPENING = re.compile(r"^<!-- written by make docs: ", re.M)


def filled(page: Path, parts: Mapping[str, Part]) -> str:
    """Return the text of a page with every part of it written anew."""

    def write(found: re.Match[str]) -> str:
        text = parts[found["name"]](page, *found["words"].split())
        opening, closing = found[0].splitlines()[0], "<!-- until here -->"
        return f"{opening}\n\n{text.strip()}\n\n{closing}"

    return _PART.sub(write, page.read_text(encoding="utf-8"))


def has_parts(page: Path) -> bool:
    """Return whether a page has parts that a program writes."""
    return _OPENING.search(page.read_text(encoding="utf-8")) is not None


def unfinished(page: Path) -> int:
    """Return how many openings of a page have no end, and write nothing."""
    text = page.read_text(encoding="utf-8")
    return len(_OPENING.findall(text)) - len(_PART.findall(text))


def names_in(page: Path) -> list[str]:
    """Return the programs that a page asks to write its parts."""
    return [found["name"] for found in _PART.finditer(page.read_text("utf-8"))]


def without_parts(page: Path) -> str:
    """Return what people wrote on a page."""
    return _PART.sub("", page.read_text(encoding="utf-8"))


def link(page: Path, target: str, text: str = "") -> str:
    """Return a link from a page to a file of the project."""
    path = os.path.relpath(ROOT / target, page.parent).replace(os.sep, "/")
    return f"[{text or f'`{target}`'}]({path})"
