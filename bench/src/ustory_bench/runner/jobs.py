"""A job of a comparison, what it is given, and the cell that it ends in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, TypeAlias

from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.runner.streams import Stream

Plain: TypeAlias = Any
"""Anything that JSON can hold."""

OK, FAILED, TIMEOUT, MEMORY, MISSING = "ok", "failed", "timeout", "memory", "missing"
"""How a job can end: with a result, an error, out of time or memory, or without an
extra that it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One measurement that can run in a process of its own."""

    system: str
    """Whose it is: jobs of one system share a progress bar, and those on one stream a
    process, up to a number."""
    stream: str
    encoder: str
    task: str
    """`module:function`: called as `function(inputs, **arguments)`, returns Plain."""
    arguments: Mapping[str, Plain] = field(default_factory=dict)

    def key(self, fingerprint: str = "") -> str:
        """Return the key of its cell: equal jobs have one, whoever asks for them.

        `fingerprint` stands for the data and the version: another one is another
        cell.
        """
        text = json.dumps([asdict(self), fingerprint], sort_keys=True)
        return sha256(text.encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a task is given: a prepared stream, and what it was prepared with."""

    stream: Stream
    settings: Settings
    """W, S and the seed; other fields are the defaults."""
    encoder: Encoder


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A job that has ended."""

    job: Job
    status: str
    reason: str = ""
    """In a sentence, where there is no result."""
    seconds: float = 0.0
    """Wall time of the job, streams and encodings loaded before."""
    peak_mib: float = 0.0
    """Most memory of its process, less what the streams took."""
    result: Plain = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPlan:
    """What a bench was asked for."""

    streams: Sequence[str]
    """Names, in the order given."""
    encoders: Sequence[str]
    """The first is the one that all experiments but those on encoders use."""
    systems: Sequence[str]
    """Registered systems, in the order of the tables."""
    settings: Settings
    windows: Mapping[str, str] = field(default_factory=dict)
    """W of the streams that have one of their own, by name."""
    seeds: int = 1
    tune: bool = False
    tuned: Mapping[str, Mapping[str, Plain]] = field(default_factory=dict)
    """What tuning chose, by stream and system, if it has: a `runner.tuning.Choice`."""

    def settings_for(self, stream: str) -> Settings:
        """Return the settings that a stream is run with."""
        return settings_for(stream, self.settings, self.windows)


def settings_for(
    stream: str, settings: Settings, windows: Mapping[str, str]
) -> Settings:
    """Return settings with the window of a stream, where it has one of its own."""
    own = windows.get(stream)
    return settings if own is None else settings.with_({"window": own})
