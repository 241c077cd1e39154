"""What links remember between two slides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ustory.core.arrays import Indices
from ustory.core.rules import FAR, Keyed, Ordered, Rule, Within
from ustory.links.archive import Archive
from ustory.links.article import LinkedArticle
from ustory.links.background import Background
from ustory.links.evidence.meaning import Meanings
from ustory.links.evidence.time import Gaps
from ustory.links.furniture import Furniture
from ustory.links.gists import Gists
from ustory.links.graph import Links
from ustory.links.guided import Guided


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkState:
    """The window as links see it, and what they learned of the stream."""

    articles: Mapping[str, LinkedArticle] = field(default_factory=dict)
    """By id, in order of their serial numbers."""
    copies: Mapping[int, int] = field(default_factory=dict)
    """Serial number of each copy → serial number of its original."""
    links: Links = field(default_factory=Links)
    story: Mapping[str, str] = field(default_factory=dict)
    """The story of each article that has one."""
    background: Background = field(default_factory=Background)
    meanings: Meanings = field(default_factory=Meanings)
    gists: Gists = field(default_factory=Gists)
    weighed: float = 0.0
    """Articles of the background when the links of the whole window were weighed."""
    gaps: Gaps = field(default_factory=Gaps)
    furniture: Furniture = field(default_factory=Furniture)
    """What outlets use again and again."""
    archive: Archive = field(default_factory=Archive)
    """Stories whose articles have left the window, some or all."""
    next_serial: int = 0
    guided: Guided = field(default_factory=Guided)
    """What a user's guidance has come to."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Keyed("articles", "id"),
        Ordered("articles", by="serial"),
        Within(0, FAR, "next_serial"),
        Within(0, 1e15, "weighed"),
    )

    def renumbered(self, moved: Indices) -> LinkState:
        """Return the same state under another vocabulary."""
        return replace(
            self,
            articles={k: a.renumber(moved) for k, a in self.articles.items()},
            background=self.background.renumber(moved),
            furniture=self.furniture.renumber(moved),
        )
