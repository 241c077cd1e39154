"""Opens a source: the registered kind that recognises what the user named reads it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import Protocol

from ustory.core.errors import ConfigError
from ustory.core.protocols import Source
from ustory.core.registry import find, names
from ustory.sources.records.fields import (
    ArticleMaker,
    Clock,
    claimed_article,
    judged_article,
    make_clock,
)
from ustory.sources.records.problems import Problems, Report

GROUP = "sources"
"""Kinds of sources are entry points of `ustory.sources`."""


class Fit(IntEnum):
    """How a kind of source recognises a name: the surest of all kinds reads it."""

    NO = 0
    ANY_FILE = 1
    """It reads what no other kind recognises."""
    CONTENT = 2
    """The first bytes of the file leave no doubt."""
    NAME = 3
    """The name says so: a scheme like `kafka://`, or the end of a file's name."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a kind of source has to know to open one."""

    report: Report
    """Is given every bad record."""
    now: datetime | None = None
    """The time that dates are compared with; None is the real time."""
    live: bool = False
    """Whether a service follows the source, or it is read once to its end."""

    @property
    def clock(self) -> Clock:
        """The time, read at each call if the source is followed."""
        return make_clock(self.now, live=self.live)

    @property
    def to_article(self) -> ArticleMaker:
        """Makes an article of a record; a service corrects future dates itself."""
        return claimed_article if self.live else judged_article


class SourceKind(Protocol):
    """A kind of source, registered under `ustory.sources` by its name."""

    @property
    def extra(self) -> str | None:
        """The extra of ustory that has to be installed, None if there is none."""
        ...

    def fit(self, where: str) -> Fit:
        """Return how surely `where`, as a user typed it, is of this kind."""
        ...

    def open(self, where: str, options: ReadOptions) -> Source:
        """Return the source; one whose `live` is true is read again and again."""
        ...


def open_source(
    path: str,
    problems: Report | None = None,
    now: datetime | None = None,
    kind: str | None = None,
    *,
    live: bool = False,
) -> Source:
    """Return the source that reads `path`: a file, a folder, an address or `-`.

    `problems` is given every bad record; without it the first one is raised. `kind`
    is a name registered under `ustory.sources`; without it `kind_of` chooses. With
    `live` the source is followed, as `ustory serve` does: a file may grow.
    """
    options = ReadOptions(problems or Problems("stop"), now, live)
    chosen: SourceKind = find(GROUP, kind or kind_of(path))
    return chosen.open(path, options)


def kind_of(path: str) -> str:
    """Return the name of the kind of source that recognises `path` most surely.

    >>> kind_of("news.csv.gz"), kind_of("-"), kind_of("kafka://localhost/articles")
    ('csv', 'jsonl', 'kafka')
    """
    fits = {name: find(GROUP, name).fit(path) for name in names(GROUP)}
    surest = max(fits.values())
    found = [name for name, fit in fits.items() if fit == surest]
    if len(found) > 1:
        raise ConfigError(
            f"{path} can be read as {' and as '.join(found)}; choose one with --format"
        )
    return found[0]


def has_suffix(path: str, *suffixes: str) -> bool:
    """Say whether a file's name ends so, in any letter case, packed by gzip or not.

    >>> has_suffix("News.CSV.gz", ".csv"), has_suffix("csv", ".csv")
    (True, False)
    """
    return Path(path).name.lower().removesuffix(".gz").endswith(suffixes)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
