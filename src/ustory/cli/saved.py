"""The state file of a run: all that is needed to go on, or to ask why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from ustory.cli.position import Position
from ustory.core.article import Article
from ustory.core.settings import Settings
from ustory.engine.snapshot.container import UNREADABLE, inconsistent, short
from ustory.engine.snapshot.states import (
    pending_of,
    read_file,
    to_plain,
    write_state,
)
from ustory.engine.state import State
from ustory.sources.merging import HeldArticles
from ustory.sources.records.cursor import STDIN_NAME, file_name
from ustory.stories.record import SavedRecords, StoryRecord

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavePoint:
    """A run after a complete slide."""

    state: State = field(default_factory=State)
    position: Position = field(default_factory=Position)
    pending: tuple[Article, ...] = ()
    """Articles read after that slide, whose own slide is still open."""
    records: SavedRecords = field(default_factory=SavedRecords)
    outputs: Mapping[str, int] = field(default_factory=dict)
    """Bytes of each output file that belong to complete slides."""

    def held(self) -> HeldArticles:
        """Return the ids in the window and in the open slide, with their dates."""
        inside = sorted(
            (record.pane, record.published_at, record.id)
            for record in self.state.records.values()
        )
        return HeldArticles(
            end=self.state.end,
            window=tuple((id_, date) for _, date, id_ in inside),
            pending=tuple((each.id, each.published_at) for each in self.pending),
        )


def save_point(path: Path, point: SavePoint, settings: Settings) -> None:
    """Write the state file, whole or not at all.

    Files are named as seen from its folder, so that a run may be resumed from any
    other, and the folder may move.
    """
    folder = path.parent.resolve()
    position = asdict(point.position)
    extra = {
        **position,
        "cursors": _renamed(position["cursors"], lambda n: file_name(Path(n), folder)),
        "pending": [to_plain(article) for article in point.pending],
        "stories": [record.to_dict() for record in point.records.live],
        "stale": sorted(point.records.stale),
        "gone": [record.to_dict() for record in point.records.gone],
        "joined": point.records.joined,
        "outputs": _renamed(point.outputs, lambda n: file_name(Path(n), folder)),
    }
    write_state(path, point.state, settings, extra)


def load_point(path: Path) -> tuple[SavePoint, Settings]:
    """Read a state file, also one that the library wrote."""
    state, settings, extra = read_file(path)
    try:
        _check_extra(extra)
        return _point(path, state, extra), settings
    except (*UNREADABLE, AttributeError) as error:
        raise inconsistent(str(path), short(error)) from error


def _point(path: Path, state: State, extra: Mapping[str, Any]) -> SavePoint:
    folder = path.parent.resolve()
    position = {f.name: extra.get(f.name, {}) for f in fields(Position)}
    position["cursors"] = _renamed(position["cursors"], lambda n: file_name(folder / n))
    return SavePoint(
        state=state,
        position=Position(**position),
        pending=pending_of(extra.get("pending", []), str(path)),
        records=SavedRecords(
            live=tuple(map(StoryRecord.from_dict, extra.get("stories", ()))),
            joined=extra.get("joined", 0),
            stale=frozenset(extra.get("stale", ())),
            gone=tuple(map(StoryRecord.from_dict, extra.get("gone", ()))),
        ),
        outputs=_renamed(extra.get("outputs", {}), lambda n: file_name(folder / n)),
    )


_TABLES = {"cursors": str, "skipped": int, "examples": str, "outputs": int}
_LISTS = {"pending": dict, "stories": dict, "gone": dict, "stale": str}


def _check_extra(extra: Mapping[str, Any]) -> None:
    """Refuse what is not of the types that `save_point` writes."""
    for name, kind in _TABLES.items():
        table = extra.get(name, {})
        if not all(type(each) is kind for each in table.values()):
            raise TypeError(f"{name} must be a table of {kind.__name__}")
        if kind is int and min(table.values(), default=0) < 0:
            raise ValueError(f"{name} must not be below 0")
    for name, kind in _LISTS.items():
        found = extra.get(name, [])
        if not isinstance(found, list) or not all(type(e) is kind for e in found):
            raise TypeError(f"{name} must be a list of {kind.__name__}")
    if type(extra.get("joined", 0)) is not int:
        raise TypeError("joined must be a number")


def _renamed(
    table: Mapping[str, Value], name: Callable[[str], str]
) -> dict[str, Value]:
    return {k if k == STDIN_NAME else name(k): value for k, value in table.items()}
