"""What a run writes while it goes: assignments, stories and events."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ustory.cli.outputs import JsonLines
from ustory.cli.rows import assignment_lines
from ustory.core.story import Event
from ustory.core.wording import utc_text
from ustory.engine.state import State
from ustory.sources.records.cursor import file_name
from ustory.stories.record import StoryRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The open outputs of a run; None for those that nobody asked for."""

    assignments: JsonLines | None = None
    stories: JsonLines | None = None
    events: JsonLines | None = None

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
        """Take back what was written behind these sizes."""
        for file in self._open():
            file.cut(sizes[file.name])

    def close(self) -> None:
        """Close the files."""
        for file in self._open():
            file.close()

    def _open(self) -> list[JsonLines]:
        each = (self.assignments, self.stories, self.events)
        return [file for file in each if file is not None]


@contextmanager
def open_files(
    paths: Mapping[str, Path | None], sizes: Mapping[str, int] | None
) -> Iterator[Files]:
    """Open the outputs by name: emptied, or to go on behind their `sizes`.

    A resumed run never empties a file: one that its state does not know is
    appended to.
    """
    files = Files(
        **{
            name: JsonLines(
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
