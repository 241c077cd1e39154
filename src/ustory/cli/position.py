"""Where the sources of a run stand, and what was skipped on the way there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ustory.core.errors import InputError
from ustory.sources.records.cursor import line_of
from ustory.sources.records.problems import Problems


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

    Sources are read ahead: a record behind a cursor has been counted for the user,
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
        # A cursor stands at a duplicate when it is found, so that stands alone.
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
