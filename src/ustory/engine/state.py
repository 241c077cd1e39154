"""Everything the engine knows after a slide, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import ClassVar

import numpy as np

from ustory.core.arrays import Indices, Matrix, SentenceVectors
from ustory.core.edit import Edit
from ustory.core.rules import FAR, Holds, Keyed, Ordered, Rule, Within
from ustory.core.story import LinkDecision, ThemeDecision
from ustory.engine.languages import UsualLanguages
from ustory.links.state import LinkState
from ustory.paper.assignment.assign import Verdicts
from ustory.paper.themes.stories import Themes
from ustory.window.documents import Documents
from ustory.window.summary import StorySummary
from ustory.window.unassigned import UnassignedArticle
from ustory.window.vocabulary import Vocabulary


def _is_row(vector: SentenceVectors | None) -> bool:
    return vector is None or (
        vector.dtype == np.float16
        and vector.ndim == 1
        and bool(np.isfinite(vector).all())
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What the engine keeps of each article in the window."""

    id: str
    pane: int
    published_at: datetime
    title: str
    sentences: tuple[str, ...]
    decision: LinkDecision | ThemeDecision | None = None
    """None while unassigned: then `Standing` holds the verdict of the last slide."""
    vector: SentenceVectors | None = None
    """E_a|C as it was assigned, one float16 row; in mode `links` its mean."""
    lang: str = ""
    """Its language; empty where nobody knows, and in states of older releases."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Within(-FAR, FAR, "pane"),
        Holds("a vector must be one float16 row", _is_row, "vector"),
    )

    def decided(
        self,
        decision: LinkDecision | ThemeDecision | None,
        vector: SentenceVectors | None,
    ) -> Record:
        """Return the record with a new decision."""
        return Record(
            id=self.id,
            pane=self.pane,
            published_at=self.published_at,
            title=self.title,
            sentences=self.sentences,
            decision=decision,
            vector=vector,
            lang=self.lang,
        )


@dataclass(frozen=True, slots=True)
class Noted:
    """Decisions on articles, and the representation each joined its story with."""

    decisions: Mapping[str, ThemeDecision]
    vectors: Matrix
    """(decisions, dim), in the same order."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The verdicts on unassigned articles at the last slide, as columns."""

    decided_at: datetime
    articles: Mapping[str, int]
    """Row of each article in the verdicts."""
    stories: tuple[str, ...]
    themes: Themes
    verdicts: Verdicts
    RULES: ClassVar[tuple[Rule, ...]] = (
        Holds(
            "standing articles must be the rows of the verdicts, in order",
            lambda rows, verdicts: [*rows.values()] == [*range(len(verdicts.best))],
            "articles",
            "verdicts",
        ),
        Holds(
            "verdicts must be on stories that there are, each with a theme",
            lambda stories, themes, verdicts: (
                len(stories) == len(themes)
                and verdicts.best.max(initial=-1) < len(stories)
                and verdicts.runner_up.max(initial=-1) < len(stories)
            ),
            "stories",
            "themes",
            "verdicts",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The engine between two slides. Never changed, only replaced."""

    end: datetime | None = None
    """Exclusive end of the last slide."""
    arrivals: int = 0
    """Articles taken in so far."""
    too_late: int = 0
    """Articles that were older than the window when they arrived."""
    next_story: int = 1
    days: Mapping[int, float] = field(default_factory=dict)
    """Time of each pane of the window, in days."""
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    documents: Documents = field(default_factory=Documents)
    stories: Mapping[str, StorySummary] = field(default_factory=dict)
    """Live stories, oldest first."""
    unassigned: Mapping[str, UnassignedArticle] = field(default_factory=dict)
    records: Mapping[str, Record] = field(default_factory=dict)
    standing: Standing | None = None
    link: LinkState = field(default_factory=LinkState)
    """State of mode `links`; empty in mode `paper`."""
    edits: tuple[Edit, ...] = ()
    """All edits so far, in order of number."""
    languages: UsualLanguages = field(default_factory=UsualLanguages)
    """Of outlets; empty in states of releases that did not look."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Within(0, FAR, "arrivals", "too_late"),
        Within(1, FAR, "next_story"),
        Ordered("days"),
        Keyed("stories", "story"),
        Keyed("unassigned", "id"),
        Keyed("records", "id"),
    )

    @property
    def waiting(self) -> int:
        """Articles in the window that have no story yet."""
        return len(self.unassigned) + len(self.link.articles) - len(self.link.story)

    def renumbered(self, moved: Indices, vocabulary: Vocabulary) -> State:
        """Return the same state under another vocabulary."""
        standing = self.standing
        if standing is not None:
            # a keyword that left the window becomes -1: no article has it
            terms = np.append(moved, np.int32(-1))[standing.themes.terms]
            standing = replace(standing, themes=replace(standing.themes, terms=terms))
        return replace(
            self,
            vocabulary=vocabulary,
            documents=self.documents.renumber(moved),
            stories={k: s.renumber(moved) for k, s in self.stories.items()},
            unassigned={k: a.renumber(moved) for k, a in self.unassigned.items()},
            standing=standing,
            link=self.link.renumbered(moved),
        )
