"""What happens to a record that breaks a rule: stop there, or skip and count."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ustory.core.errors import PROBLEM_KINDS, ConfigError, InputError

Report: TypeAlias = Callable[[InputError], None]
"""Takes each bad record's error; it may raise it."""

POLICIES = ("stop", "skip")


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
