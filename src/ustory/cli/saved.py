"""The state file of a run: all that is needed to go on, or to ask why."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from ustory.cli.feed import Position
from ustory.cli.ledger import StoryRecord
from ustory.core.article import Article
from ustory.core.errors import ConfigError, UStoryError
from ustory.core.settings import Settings
from ustory.engine.snapshot import freeze, thaw
from ustory.engine.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A run after a complete slide."""

    state: State = field(default_factory=State)
    position: Position = field(default_factory=Position)
    pending: tuple[Article, ...] = ()
    """Articles read behind that slide, whose own slide is not over yet."""
    live: tuple[StoryRecord, ...] = ()
    joined: int = 0
    outputs: Mapping[str, int] = field(default_factory=dict)
    """Bytes of each output file that belong to complete slides."""

    def known(self) -> dict[str, datetime]:
        """Return the ids in the window and in the open slide, with their dates."""
        return {
            **{id_: record.published_at for id_, record in self.state.records.items()},
            **{article.id: article.published_at for article in self.pending},
        }


def save_point(path: Path, point: Point, settings: Settings) -> None:
    """Write the state file, whole or not at all."""
    extra = {
        **asdict(point.position),
        "pending": [_plain(article) for article in point.pending],
        "stories": [record.to_dict() for record in point.live],
        "joined": point.joined,
        "outputs": dict(point.outputs),
    }
    data = freeze(point.state, settings, extra)
    beside = path.with_name(f"{path.name}.writing")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UStoryError(f"cannot write {path}: {error.strerror or error}") from error


def load_point(path: Path) -> tuple[Point, Settings]:
    """Read a state file, also one that the library wrote."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"cannot read the state in {path}: {error.strerror or error}; give a file "
            "that `ustory discover --state` wrote"
        ) from error
    state, settings, extra = thaw(data, str(path))
    position = {f.name: extra.get(f.name, {}) for f in fields(Position)}
    return Point(
        state=state,
        position=Position(**position),
        pending=tuple(_article(table) for table in extra.get("pending", ())),
        live=tuple(map(StoryRecord.from_dict, extra.get("stories", ()))),
        joined=extra.get("joined", 0),
        outputs=extra.get("outputs", {}),
    ), settings


def _plain(article: Article) -> dict[str, Any]:
    table = asdict(article)
    for name, value in table.items():
        if isinstance(value, datetime):
            table[name] = value.isoformat()
    return table


def _article(table: Mapping[str, Any]) -> Article:
    moments = {
        name: datetime.fromisoformat(table[name])
        for name in ("published_at", "fetched_at")
        if table[name] is not None
    }
    return Article(**{**table, "authors": tuple(table["authors"]), **moments})
