"""What the engine returns: decisions, stories and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ustory.core.arrays import Matrix
from ustory.core.article import PreparedArticle
from ustory.core.edit import Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Slide:
    """The articles that arrived since the last slide, ready for the engine.

    `end` is exclusive. The order of `articles` never matters.
    """

    end: datetime
    articles: Sequence[PreparedArticle] = ()
    edits: Sequence[Edit] = ()
    """What people changed since the last slide, in order of number."""
    corrections: Sequence[PreparedArticle] = ()
    """New texts of articles that came before, one for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Why an article is in its story: the fields that both modes share.

    Mode `links` gives a `LinkDecision`, mode `paper` a `ThemeDecision`.
    """

    story: str | None
    """The story the article belongs to, or None while it waits."""
    how: str
    """`assigned` to a story that existed, `seeded` a new one, `moved` from another,
    or `waiting`."""
    decided_at: datetime
    """End of the slide in which this was decided."""
    best: str | None = None
    """The closest story, even if it was not close enough."""
    runner_up: str | None = None
    margin: float = 0.0
    """How far the runner-up is behind `best`, in the measure of the mode."""
    stories: int = 0
    """How many stories competed, |C|."""
    keywords: Mapping[str, int] = field(default_factory=dict)
    """Theme keywords of `best` found in the article, with their counts."""
    weights: tuple[float, ...] = ()
    """Theme relevance of each sentence (Eq. 2), summing to 1; empty if none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkDecision(Decision):
    """A decision of mode `links`; `margin` is one of probabilities."""

    probability: float = 0.0
    """That the article belongs to `best`."""
    log_odds: float = 0.0
    """Log-odds of that probability; 0 if it is 0 or 1."""
    evidence: Mapping[str, float] = field(default_factory=dict)
    """Log-odds by the name of each evidence, averaged over the strongest links;
    evidence that is exactly neutral is left out."""
    links: Mapping[str, float] = field(default_factory=dict)
    """The most strongly linked articles of `best`, with the probability that each
    reports the same story as this one."""

    @property
    def confidence(self) -> float:
        """The probability; both kinds of decision have a confidence."""
        return self.probability


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeDecision(Decision):
    """A decision of mode `paper` (Def 5–6); `margin` is one of similarities."""

    similarity: float = 0.0
    """sim_theme(a, best) (Eq. 4) = cosine · divergence."""
    cosine: float = 0.0
    """The semantic part: cos(E_a|C, E_C|a), not below 0."""
    divergence: float = 0.0
    """The symbolic part: similarity of the keyword distributions."""
    confidence: float = 0.0
    """conf (Eq. 5), tiny among many stories and no probability for people."""
    log_odds: float = 0.0
    """ln(conf / γ): an article is assigned from 0 upwards."""


class EventKind(StrEnum):
    """What can happen to a story, or to an archive as a whole.

    The paper's mode has the first three. Later releases may add kinds: programs that
    read events of an archive or of the API must accept kinds that they do not know.
    """

    BORN = "born"
    """Articles without a story made a new one."""
    GREW = "grew"
    """Articles without a story joined this one."""
    EXPIRED = "expired"
    """The last article of the story left the window."""
    MERGED = "merged"
    """The story is now part of another."""
    SPLIT = "split"
    """The story is new, made of articles of another."""
    MOVED = "moved"
    """Articles of another story came to this one."""
    RELEASED = "released"
    """Articles of the story are still in the window, but in no story any more."""
    REVIVED = "revived"
    """The story had expired and has articles again; details: `days` since the last."""
    METHOD_CHANGED = "method_changed"
    """A new epoch of the archive began; the event names no story."""
    WITHDRAWN = "withdrawn"
    """Articles were removed from the archive; the event names no story."""


_OTHER_STORY: Mapping[str, str] = {
    EventKind.MERGED: "into",
    EventKind.SPLIT: "from",
    EventKind.MOVED: "from",
}


def other_story(kind: str, details: Mapping[str, Any]) -> str | None:
    """Return the second story of an event: where articles came from or went to.

    >>> other_story("merged", {"into": "s000006"})
    's000006'
    """
    name = details.get(_OTHER_STORY.get(kind, ""))
    return None if name is None else str(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to a story."""

    kind: EventKind
    story: str
    at: datetime
    """End of the slide in which it happened."""
    articles: tuple[str, ...] = ()
    """The articles that made it happen, by id."""
    details: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryLanguage:
    """A story in one language."""

    lang: str
    """The tag of the language, as its articles have it."""
    articles: int
    """How many of its articles are in it."""
    headline: str = ""
    """Empty where the story is told in one language alone, or nobody knows yet."""
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A story at the end of a slide, for people to read."""

    id: str
    headline: str
    """The title of its most central article."""
    keywords: tuple[str, ...]
    articles: tuple[str, ...]
    """Its articles in the window, oldest first."""
    first_seen: datetime
    last_seen: datetime
    total: int
    """Articles it ever had, those that left the window included."""
    sources: int = 0
    """Independent sources of its articles in the window: copies of one text count
    once (mode `links`; 0 if not known)."""
    lang: str | None = None
    """The language of headline and keywords, where its articles have one."""
    languages: tuple[StoryLanguage, ...] = ()
    """All its languages in the window, the one with most articles first."""
    vector: Matrix | None = field(default=None, repr=False, compare=False)
