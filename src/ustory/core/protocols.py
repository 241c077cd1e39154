"""The small contracts that extensions satisfy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ustory.core.arrays import SentenceVectors
from ustory.core.article import Article, TermCounts
from ustory.core.story import Event, Slide

State = TypeVar("State")
Shard = TypeVar("Shard")
Value = TypeVar("Value")
Outcome = TypeVar("Outcome")


class Encoder(Protocol):
    """A pretrained sentence encoder: the paper's PSE, enc(s)."""

    @property
    def name(self) -> str:
        """What it is called in settings, caches and reports."""
        ...

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        ...

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        ...


class TextPipeline(Protocol):
    """Splits an article into sentences and counts the terms of each."""

    @property
    def name(self) -> str:
        """What it is called in settings."""
        ...

    def split(self, article: Article) -> tuple[str, ...]:
        """Return the sentences; the title is sentence 0."""
        ...

    def count(self, sentences: Sequence[str], lang: str | None) -> TermCounts:
        """Count the (1,2)-gram terms of each sentence."""
        ...


@dataclass(frozen=True, slots=True)
class Arrival:
    """An article and where its source stood after it."""

    article: Article
    cursor: str


class Source(Protocol):
    """A place articles come from, which can be resumed."""

    @property
    def name(self) -> str:
        """What errors and cursors call it."""
        ...

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles after the cursor `after`, all if it is None."""
        ...


class Discoverer(Protocol[State]):
    """Anything that turns the slides of a stream into stories.

    It holds settings only: what it has learned is in the state it returns,
    so the state before a slide is still there when the slide fails.
    """

    def begin(self) -> State:
        """Return the state before the first slide."""
        ...

    def advance(self, state: State, slide: Slide) -> tuple[State, Sequence[Event]]:
        """Take in one slide; the given state is left as it was."""
        ...

    def assignments(self, state: State) -> Mapping[str, str | None]:
        """Return the story of each article in the window, None for unassigned."""
        ...

    def freeze(self, state: State) -> bytes:
        """Write the state down."""
        ...

    def thaw(self, data: bytes) -> State:
        """Read back what `freeze` wrote, bit for bit."""
        ...


@dataclass(frozen=True, slots=True)
class Shared(Generic[Value]):
    """A value that all workers of an executor can see, for one slide."""

    slide: int
    """Stamp of the slide; workers drop the value when another slide comes."""
    number: int
    """Distinct for everything that an executor ever shared."""
    held: Any
    """The value, or a reference that only the executor understands."""


class Executor(Protocol):
    """Runs the blocks of a slide; it decides where, never what is computed.

    A task is a pure function at the top of a module. What it is given and what it
    returns can be pickled, and neither it nor the order of its calls depends on how
    many workers there are.
    """

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        ...

    @property
    def apart(self) -> bool:
        """Whether tasks run in other processes than the caller's."""
        ...

    def share(self, slide: int, value: Value) -> Shared[Value]:
        """Give a value to all workers; it is valid for this slide only."""
        ...

    def map(
        self,
        task: Callable[[Shard, Value], Outcome],
        shards: Sequence[Shard],
        shared: Shared[Value],
    ) -> list[Outcome]:
        """Return the outcome of each shard, in order.

        If tasks raise, the error of the first such shard is raised.
        """
        ...

    def close(self) -> None:
        """End the workers; it may be called twice."""
        ...
