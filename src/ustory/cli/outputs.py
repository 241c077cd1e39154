"""The output files of a run: assignments, stories and events, as JSON Lines."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ustory.core.errors import ConfigError, InputError, UStoryError
from ustory.core.story import Event, ThemeDecision
from ustory.core.wording import utc_text
from ustory.scores.windows import AssignmentRow
from ustory.sources.files.json_values import parse_object
from ustory.sources.files.lines import check_readable, read_lines
from ustory.sources.records.cursor import file_name
from ustory.sources.records.dates import parse_date
from ustory.sources.records.problems import Place, shown

if TYPE_CHECKING:  # scoring must not wait for the engine to load
    from ustory.engine.state import State
    from ustory.stories.record import StoryRecord


class JsonLinesFile:
    """A file of JSON Lines that grows slide by slide.

    Mutable. `size` counts its bytes, so that a run that stops in the middle of a
    slide, or starts again from an older state, can cut off what it will write again.
    """

    def __init__(self, path: Path, keep: int | None = None) -> None:
        """Open the file: empty, or after the first `keep` bytes that it has."""
        self.path = path
        self.size = 0
        with _clear_errors(path):
            self._file = path.open("wb" if keep is None else "ab", buffering=0)
            if keep is not None and self._file.seekable():
                self.size = self._file.seek(0, 2)
                self.cut(keep)
        self.name = file_name(path)
        """What the state file calls it."""

    def write(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Add one line per record, all in one write."""
        lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
        data = memoryview("".join(lines).encode("utf-8", "replace"))
        with _clear_errors(self.path):
            while data:
                written = self._file.write(data)
                self.size += written
                data = data[written:]

    def cut(self, size: int) -> None:
        """Remove everything after the first `size` bytes."""
        if size < self.size and self._file.seekable():
            with _clear_errors(self.path):
                self._file.truncate(size)
                self.size = self._file.seek(size)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def check_writable(path: Path) -> None:
    """Raise ConfigError when no file can be written at `path`.

    For files that are written late: better refused before the work than after it.
    """
    existed = path.exists()
    with _clear_errors(path):
        path.open("ab").close()
        if not existed:
            path.unlink()


def check_apart(inputs: Iterable[str], outputs: Mapping[str, Path | None]) -> None:
    """Raise ConfigError when one file would be written twice, or over an input."""
    taken = {Path(path).resolve(): f"the input {path}" for path in inputs}
    for option, path in outputs.items():
        if path is None:
            continue
        place = path.resolve()
        if place in taken and not (path.exists() and not path.is_file()):
            raise ConfigError(
                f"{option} would overwrite {taken[place]}; give each a file of its own"
            )
        taken[place] = f"the file of {option}"


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UStoryError(
            f"cannot write {path}: {error.strerror or error}; "
            "give a file in a folder that can be written to"
        ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFiles:
    """The open outputs of a run; None for those that are not wanted."""

    assignments: JsonLinesFile | None = None
    stories: JsonLinesFile | None = None
    events: JsonLinesFile | None = None

    def write_slide(
        self, state: State, events: Iterable[Event], expired: Iterable[StoryRecord]
    ) -> None:
        """Add a slide: its window, what happened, and the stories that ended."""
        if self.assignments is not None:
            self.assignments.write(assignment_lines(state))
        if self.events is not None:
            self.events.write(map(_event_line, events))
        if self.stories is not None:
            self.stories.write(record.to_dict() for record in expired)

    def write_live(self, records: Iterable[StoryRecord]) -> None:
        """Add the stories that are still live when the run stops.

        They are no part of any slide: the next run cuts them off again.
        """
        if self.stories is not None:
            self.stories.write(record.to_dict() for record in records)

    def sizes(self) -> dict[str, int]:
        """Return the bytes in each file, by name."""
        return {file.name: file.size for file in self._open()}

    def cut(self, sizes: Mapping[str, int]) -> None:
        """Remove what was written after these sizes."""
        for file in self._open():
            file.cut(sizes[file.name])

    def close(self) -> None:
        """Close the files."""
        for file in self._open():
            file.close()

    def _open(self) -> list[JsonLinesFile]:
        each = (self.assignments, self.stories, self.events)
        return [file for file in each if file is not None]


@contextmanager
def open_files(
    paths: Mapping[str, Path | None], sizes: Mapping[str, int] | None
) -> Iterator[OutputFiles]:
    """Open the outputs by name: emptied, or to go on after their `sizes`.

    A resumed run never empties a file: one that its state does not know is
    appended to.
    """
    files = OutputFiles(
        **{
            name: JsonLinesFile(
                path, None if sizes is None else sizes.get(file_name(path), sys.maxsize)
            )
            for name, path in paths.items()
            if path is not None
        }
    )
    try:
        yield files
    finally:
        files.close()


def _event_line(event: Event) -> dict[str, Any]:
    return {
        "kind": event.kind,
        "story": event.story,
        "at": utc_text(event.at),
        "articles": list(event.articles),
        **({"details": dict(event.details)} if event.details else {}),
    }


def assignment_lines(state: State) -> Iterator[dict[str, Any]]:
    """Yield one line per article in the window, by article id."""
    if state.end is None:
        return
    end = utc_text(state.end)
    for article in sorted(state.records):
        story, similarity, confidence = _standing(state, article)
        yield {
            "slide_end": end,
            "article": article,
            "story": story,
            "similarity": _short(similarity),
            "confidence": _short(confidence),
        }


def read_assignments(path: str) -> Iterator[AssignmentRow]:
    """Yield the rows of an assignments file, one line in memory at a time."""
    check_readable(path)
    return _rows(path)


def _rows(path: str) -> Iterator[AssignmentRow]:
    for number, line in read_lines(path):
        place = Place(path, number)
        if isinstance(line, InputError):
            raise line
        if line.strip():
            yield _row(line, place)


def _row(line: bytes, place: Place) -> AssignmentRow:
    record = parse_object(line, place)
    for name in ("slide_end", "article"):
        if not isinstance(record.get(name), str):
            raise place.problem(
                "bad-field",
                f"`{name}` must be text; got {shown(record.get(name))}; give a file "
                "that `ustory discover --assignments` wrote",
            )
    story = record.get("story")
    if not (story is None or isinstance(story, str)):
        raise place.problem(
            "bad-field", f"`story` must be text or null; got {shown(story)}"
        )
    try:
        end = _moment(str(record["slide_end"]))
    except ValueError as error:
        raise place.problem(
            "bad-date", f"`slide_end` cannot be read: {error}"
        ) from None
    return AssignmentRow(end, str(record["article"]), story)


# The lines of a slide all have the same end.
_moment = lru_cache(maxsize=4)(parse_date)


def _standing(state: State, article: str) -> tuple[str | None, float, float]:
    """Return an article's story, similarity and confidence as they now are.

    For articles that wait, this is far cheaper than their whole decision.
    """
    decision = state.records[article].decision
    if decision is not None:
        close = decision.confidence
        if isinstance(decision, ThemeDecision):
            close = decision.similarity
        return decision.story, close, decision.confidence
    standing = state.standing
    if standing is None or article not in standing.articles:
        return None, 0.0, 0.0
    row, verdicts = standing.articles[article], standing.verdicts
    confidence = math.exp(float(verdicts.log_confidence[row]))
    return None, float(verdicts.similarity[row]), confidence


def _short(number: float) -> float:
    return float(f"{number:.6g}")
