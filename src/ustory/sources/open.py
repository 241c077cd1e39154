"""Chooses the source for a path: by the format asked for, or by what the file is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ustory.core.errors import ConfigError
from ustory.core.protocols import Source
from ustory.sources.files.dataset import DataSetSource, Layout
from ustory.sources.files.jsonl import JsonLinesSource
from ustory.sources.files.newsapi import NEWSAPI
from ustory.sources.files.newsfeed import NEWSFEED
from ustory.sources.files.parquet import ParquetSource
from ustory.sources.files.sniff import data_set_of
from ustory.sources.files.table import CsvSource
from ustory.sources.files.wcep import PAPER_LEAST, wcep
from ustory.sources.records.problems import Problems, Report

DATA_SETS: Mapping[str, tuple[Layout, int | None]] = {
    "newsfeed": (NEWSFEED, None),
    "newsfeed14": (NEWSFEED, 2014),
    "wcep": (wcep(), None),
    "wcep18": (wcep(PAPER_LEAST), 2018),
    "wcep19": (wcep(PAPER_LEAST), 2019),
    "newsapi": (NEWSAPI, None),
}
"""Layouts of published data sets, and the year to which a name narrows one."""

FORMATS = ("jsonl", "csv", "tsv", "parquet", *DATA_SETS)
"""What a file may be asked to be read as."""


def open_source(
    path: str,
    problems: Report | None = None,
    now: datetime | None = None,
    kind: str | None = None,
) -> Source:
    """Return the source that reads `path`.

    `problems` is told of every bad record; without it the first one is raised.

    `kind` is one of `FORMATS`. Without it, `.csv` and `.tsv` are tables, `.parquet` is
    Parquet, and `-` is JSON Lines on standard input. Other files are data sets where
    their first bytes leave no doubt, else JSON Lines, whatever they are called. A
    further `.gz` means that the file is gzipped.
    """
    problems = problems or Problems("stop")
    kind = kind or format_of(path)
    if kind in DATA_SETS:
        layout, year = DATA_SETS[kind]
        return DataSetSource(path, layout, problems, now, year)
    if kind == "parquet":
        if path.lower().endswith(".gz"):
            raise ConfigError(f"{path}: Parquet is packed inside; unpack the .gz first")
        return ParquetSource(path, problems, now)
    if kind in ("csv", "tsv"):
        return CsvSource(path, problems, now, "\t" if kind == "tsv" else ",")
    if kind == "jsonl":
        return JsonLinesSource(path, problems, now)
    raise ConfigError(
        f"there is no format named {kind!r}; choose one of {', '.join(FORMATS)}"
    )


def format_of(path: str) -> str:
    """Return which of `FORMATS` a file is read as when nobody says."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packed = suffixes[-1:] == [".gz"]
    suffix = "".join(suffixes[:-1][-1:] if packed else suffixes[-1:])
    if suffix in (".csv", ".tsv", ".parquet"):
        return suffix[1:]
    return data_set_of(path) or "jsonl"


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
