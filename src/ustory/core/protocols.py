"""The small contracts that extensions satisfy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ustory.core.arrays import SentenceVectors
from ustory.core.article import Article, TermCounts
from ustory.core.story import Event, Slide

State = TypeVar("State")


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
        """Yield the articles behind the cursor `after`, all when it is None."""
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
