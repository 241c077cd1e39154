"""Chooses the living source for what a user names: a path, an address, or `-`."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ustory.core.protocols import Source
from ustory.sources.files.growing import GrowingFiles
from ustory.sources.files.stdin import StdinSource
from ustory.sources.files.warc import SUFFIXES, WarcSource
from ustory.sources.kafka import KafkaSource
from ustory.sources.records.live_record import Clock
from ustory.sources.records.problems import Report
from ustory.sources.records.source_names import STDIN


class LiveSource(Source, Protocol):
    """A source that gives what there is for now, and says whether more may come."""

    live: bool


def live_source(where: str, report: Report, clock: Clock) -> LiveSource:
    """Return the source for `-`, `kafka://…`, a WARC file, a file or a folder.

    A folder that holds WARC files is read as these, any other as JSON Lines. Each
    bad record goes to `report`.
    """
    if where == STDIN:
        return StdinSource(report, clock)
    if where.startswith("kafka://"):
        return KafkaSource.at(where, report, clock)
    if _holds_archives(Path(where)):
        return WarcSource(where, report, clock)
    return GrowingFiles(where, report, clock)


def _holds_archives(path: Path) -> bool:
    try:
        names = [p.name for p in path.iterdir()] if path.is_dir() else [path.name]
    except OSError:  # whoever opens it says why
        return False
    return any(name.lower().endswith(SUFFIXES) for name in names)
