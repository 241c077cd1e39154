"""Where pages, their JSON twins and their files are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, urlencode

STATIC = Path(__file__).parent.parent / "static"
"""The folder with style sheets and scripts."""


def story_path(story: str) -> str:
    """Return the address of a story's page.

    >>> story_path("s000001")
    '/stories/s000001'
    """
    return f"/stories/{quote(story, safe='')}"


def article_path(article: str) -> str:
    """Return the address of an article's page; its id may hold any character.

    >>> article_path("https://a.example/?b=1")
    '/articles/https%3A%2F%2Fa.example%2F%3Fb%3D1'
    """
    return f"/articles/{quote(article, safe='')}"


def with_query(path: str, asked: Mapping[str, object]) -> str:
    """Return an address with a query, without what is empty.

    >>> with_query("/", {"q": "a b", "lang": "", "page": None})
    '/?q=a+b'
    """
    given = {name: value for name, value in asked.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def static_path(name: str) -> str:
    """Return the address of a file that browsers may keep until it changes."""
    return f"/static/{name}?v={_digest(STATIC / name)}"


@cache
def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:12]
