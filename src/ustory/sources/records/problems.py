"""What is wrong with a record and where: stop there, or skip it and count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ustory.core.errors import PROBLEM_KINDS, ConfigError, InputError

Report: TypeAlias = Callable[[InputError], None]
"""Takes each bad record's error; it may raise it."""

POLICIES = ("stop", "skip")
_MAX_QUOTED = 60


@dataclass(frozen=True, slots=True)
class Place:
    """A file and a line in it, counted from 1; line 0 is the file as a whole."""

    file: str
    line: int
    what: str = ""
    """A place in a file whose lines mean nothing, like `story 3, article 5`."""

    def problem(self, kind: str, reason: str) -> InputError:
        """Return the error that says what is wrong here, for the caller to raise."""
        said = f"{self.what}: {reason}" if self.what else reason
        return InputError(kind, said, file=self.file, line=self.line)


def shown(value: object) -> str:
    """Return a value as an error message quotes it: short, whatever it is.

    Lists and objects are only named, because writing out a deep one may fail.

    >>> shown("yesterday"), shown([1, 2]), shown(True)
    ("'yesterday'", 'a list', 'true')
    """
    if isinstance(value, str | bytes):
        return repr(value[:_MAX_QUOTED]) + ("…" if len(value) > _MAX_QUOTED else "")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if value.bit_length() < 200 else "a huge number"
    if value is None or isinstance(value, float):
        return "null" if value is None else repr(value)
    if isinstance(value, Mapping):
        return "an object"
    return f"a {type(value).__name__}"


class Problems:
    """Is handed every bad record, and either raises its error or counts it.

    Mutable: `counts` and `examples` grow while a stream is read, by one entry
    per kind of problem and no more.
    """

    def __init__(self, policy: str = "stop") -> None:
        if policy not in POLICIES:
            raise ConfigError(
                f"what to do with bad records must be one of {', '.join(POLICIES)}; "
                f"got {policy!r}"
            )
        self.policy = policy
        self.counts: dict[str, int] = {}
        """How many records were skipped, by kind."""
        self.examples: dict[str, str] = {}
        """The first message of each kind."""

    def __call__(self, error: InputError) -> None:
        """Raise `error` under `stop`; under `skip` count it and return."""
        if self.policy == "stop":
            raise error
        self.counts[error.kind] = self.counts.get(error.kind, 0) + 1
        # The message only: the error itself holds on to the whole record.
        self.examples.setdefault(error.kind, str(error))

    @property
    def total(self) -> int:
        """How many records were skipped."""
        return sum(self.counts.values())

    def summary(self) -> tuple[str, ...]:
        """Return one line per kind, the most frequent first, with its first case."""
        ranked = sorted(self.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(
            f"skipped {count} {kind} ({PROBLEM_KINDS.get(kind, kind)}), "
            f"first: {self.examples[kind]}"
            for kind, count in ranked
        )
