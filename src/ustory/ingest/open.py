"""Chooses the source for a path by how the file is called."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from ustory.core.errors import ConfigError
from ustory.core.protocols import Source
from ustory.ingest.jsonl import JsonLinesSource
from ustory.ingest.parquet import ParquetSource
from ustory.ingest.problems import Problems, Report
from ustory.ingest.table import CsvSource


def open_source(
    path: str, problems: Report | None = None, now: datetime | None = None
) -> Source:
    """Return the source that reads `path`.

    `problems` is told of every bad record; without it the first one is raised.

    `.csv` and `.tsv` are tables, `.parquet` is Parquet, and `-` is JSON Lines on
    standard input. Everything else is read as JSON Lines, whatever it is called. A
    further `.gz` means that the file is gzipped.
    """
    problems = problems or Problems("stop")
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packed = suffixes[-1:] == [".gz"]
    kind = "".join(suffixes[:-1][-1:] if packed else suffixes[-1:])
    if kind == ".parquet":
        if packed:
            raise ConfigError(f"{path}: Parquet is packed inside; unpack the .gz first")
        return ParquetSource(path, problems, now)
    if kind in (".csv", ".tsv"):
        return CsvSource(path, problems, now, "\t" if kind == ".tsv" else ",")
    return JsonLinesSource(path, problems, now)
