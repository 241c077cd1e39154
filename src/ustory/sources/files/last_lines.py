"""The last articles of a JSON Lines file, without reading the rest of it."""

from __future__ import annotations

from collections.abc import Iterator
from os import SEEK_END
from pathlib import Path

from ustory.core.article import Article
from ustory.core.errors import InputError
from ustory.sources.files.growing import SUFFIXES
from ustory.sources.files.json_values import parse_object
from ustory.sources.records.fields import Clock, claimed_article
from ustory.sources.records.problems import Place

END_BYTES = 1_000_000
"""Bytes at the end of a file that are looked at."""


def last_articles(path: Path, clock: Clock, most: int) -> list[Article]:
    """Return up to `most` articles at the end of a file, or of a folder's last file.

    Nothing of a packed file: all of it would have to be unpacked. Lines that cannot
    be read are passed over; who reads the file reports them.
    """
    if path.is_dir():
        names = [n for n in path.iterdir() if n.name.lower().endswith(SUFFIXES)]
        path = max((n for n in names if not n.name.startswith(".")), default=path)
    if not path.is_file() or path.name.lower().endswith(".gz"):
        return []
    found = []
    for line in _whole_lines(path):
        try:
            place = Place(path.name, 0)
            found.append(claimed_article(parse_object(line, place), place, clock()))
        except InputError:
            continue
        if len(found) == most:
            break
    return found


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the last lines of a file that are whole, the last one first."""
    with path.open("rb") as file:
        size = file.seek(0, SEEK_END)
        start = max(size - END_BYTES, 0)
        file.seek(start)
        lines = file.read(END_BYTES).splitlines()
    if start:  # the first of them begins before
        del lines[:1]
    yield from (line for line in reversed(lines) if line.strip())
