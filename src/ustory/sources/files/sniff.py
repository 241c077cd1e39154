"""Tells a data set's file by its first bytes, where there can be no doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ustory.core.errors import UStoryError
from ustory.sources.files.lines import read_chunks

_HEAD = 65_536
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}:]', re.S)
_BOM = b"\xef\xbb\xbf"
_MARKS = {
    "newsfeed": {"lang", "cluster"},
    "newsapi": {"status", "articles"},
    "wcep": {"id", "summary", "articles"},
}


def data_set_of(path: str) -> str | None:
    """Return `newsfeed`, `wcep` or `newsapi` if the file is surely that, else None.

    Newsfeed14 is a list, which JSON Lines never is; the other two hold their articles
    inside an object. Pipes are not looked into, for what is read of them is gone.
    """
    head = _head(path)
    listed = head.startswith(b"[")
    if not head.startswith(b"{") and not listed:
        return None
    keys = set(_keys(head, 2 if listed else 1))
    kinds = ("newsfeed",) if listed else ("newsapi", "wcep")
    return next((kind for kind in kinds if _MARKS[kind] <= keys), None)


def _head(path: str) -> bytes:
    if not Path(path).is_file():
        return b""
    head = b""
    try:
        with closing(read_chunks(path)) as pieces:
            for piece in pieces:
                head = (head + piece).removeprefix(_BOM).lstrip()
                if len(head) >= _HEAD:
                    break
    except UStoryError:  # the source says it better
        return b""
    return head


def _keys(head: bytes, wanted: int) -> Iterator[str]:
    """Yield the names in the first object at this depth."""
    depth, last = 0, b""
    for match in _TOKEN.finditer(head):
        token = match[0]
        if token == b":":
            if depth == wanted:
                yield last[1:-1].decode("utf-8", "replace")
        elif token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if depth < wanted:
                return
        else:
            last = token
