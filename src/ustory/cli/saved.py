"""Where a run stands in its sources, how long they are, and what a state file saves."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from ustory.core.article import Article
from ustory.core.errors import InputError
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
from ustory.sources.open import kind_of
from ustory.sources.records.cursor import STDIN_NAME, file_name, line_of
from ustory.sources.records.problems import Problems
from ustory.stories.record import SavedRecords, StoryRecord


@dataclass(frozen=True, slots=True)
class Position:
    """A place in all sources, from which they can be read on."""

    cursors: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    """How many records were skipped before it, by kind."""
    examples: Mapping[str, str] = field(default_factory=dict)
    """The first message of each kind."""


@dataclass(slots=True)
class _Stretch:
    """Bad records on consecutive lines of a file. Mutable: it grows with them."""

    file: str
    last: int
    found: Problems = field(default_factory=lambda: Problems("skip"))
    open: bool = True

    def takes(self, error: InputError) -> bool:
        """Say whether a record continues the stretch."""
        return self.open and self.file == error.file and self.last + 1 == error.line


class Skipped:
    """Is handed every bad record; what it counts fits the cursors exactly.

    Sources are read ahead: a record after a cursor has been counted for the user,
    but a run that resumes from that cursor will meet it again. Mutable.
    """

    def __init__(self, policy: str, start: Position) -> None:
        self.problems = Problems(policy)
        self.problems.counts.update(start.skipped)
        self.problems.examples.update(start.examples)
        self._passed = start
        self._ahead: list[_Stretch] = []

    def __call__(self, error: InputError) -> None:
        """Raise `error`, or count it, as the policy says."""
        self.problems(error)
        if error.line == 0:  # of a file, or without lines: no cursor passes it
            return
        # A duplicate is found when the cursor is at it, so its own place counts.
        alone = error.kind == "duplicate-id"
        if alone or not (self._ahead and self._ahead[-1].takes(error)):
            self._ahead.append(_Stretch(error.file, error.line, open=not alone))
        self._ahead[-1].last = error.line
        self._ahead[-1].found(error)

    def position(self, cursors: Mapping[str, str]) -> Position:
        """Return the position at `cursors`; they never go back."""
        counts, examples = dict(self._passed.skipped), dict(self._passed.examples)
        ahead = []
        for stretch in self._ahead:
            if not 0 < stretch.last <= line_of(cursors.get(stretch.file, "")):
                ahead.append(stretch)
                continue
            for kind, count in stretch.found.counts.items():
                counts[kind] = counts.get(kind, 0) + count
                examples.setdefault(kind, stretch.found.examples[kind])
        self._ahead = ahead
        self._passed = Position(dict(cursors), counts, examples)
        return self._passed


_BY_LINES = ("jsonl", "csv", "tsv")
_SAMPLE_COUNT = 16
_SAMPLE_BYTES = 1 << 16
_GZIP = b"\x1f\x8b"


def estimated_lines(paths: Iterable[str]) -> int | None:
    """Return about how many lines the files have, None if one does not say.

    Cursors count lines, so lines are the measure. A few samples of each file are
    read, never all of it; standard input and pipes have no length, and the lines of
    data sets and web archives say nothing.
    """
    total = 0
    for path in paths:
        lines = _lines_of(Path(path))
        if lines is None:
            return None
        total += lines
    return total


def _lines_of(path: Path) -> int | None:
    try:
        if not path.is_file():
            return None
        kind = kind_of(str(path))
        if kind == "parquet":
            return _parquet_rows(path)
        if kind not in _BY_LINES:
            return None
        with path.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
            size = file.seek(0, 2)
            return _packed_lines(file, size) if packed else _plain_lines(file, size)
    except (OSError, zlib.error):
        return None


def _plain_lines(file: BinaryIO, size: int) -> int:
    step = max(_SAMPLE_BYTES, -(-size // _SAMPLE_COUNT))
    found = seen = 0
    for start in range(0, size, step):
        file.seek(start)
        sample = file.read(_SAMPLE_BYTES)
        found += sample.count(b"\n")
        seen += len(sample)
    return round(found * size / seen) if seen else 0


def _packed_lines(file: BinaryIO, size: int) -> int:
    file.seek(0)
    packed = file.read(4 * _SAMPLE_BYTES)
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    plain = unpacker.decompress(packed, 64 * _SAMPLE_BYTES)
    seen = len(packed) - len(unpacker.unconsumed_tail)
    return round(plain.count(b"\n") * size / seen)


def _parquet_rows(path: Path) -> int | None:
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 - heavy, optional
    except ImportError:
        return None
    try:
        return int(parquet.read_metadata(path).num_rows)
    except ArrowException:
        return None


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
