"""A story of a run in a few hundred bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from ustory.cli.rows import utc_text


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRecord:
    """A story as it last stood: what tables and files tell of it."""

    id: str
    headline: str = ""
    keywords: tuple[str, ...] = ()
    articles: int = 0
    """All it ever had."""
    first_seen: datetime
    last_seen: datetime
    days: Mapping[date, int] = field(default_factory=dict)
    """Articles per day of publication."""
    live: bool = True
    into: str = ""
    """The story that it was merged into, where it was."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `--stories` writes and the state file keeps."""
        return {
            "id": self.id,
            "headline": self.headline,
            "keywords": list(self.keywords),
            "articles": self.articles,
            "first_seen": utc_text(self.first_seen),
            "last_seen": utc_text(self.last_seen),
            "days": {str(day): self.days[day] for day in sorted(self.days)},
            "status": self._status,
            **({"into": self.into} if self.into else {}),
        }

    @property
    def _status(self) -> str:
        if self.into:
            return "merged"
        return "live" if self.live else "expired"

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> StoryRecord:
        """Read back what `to_dict` returned; TypeError or ValueError for others."""
        texts = (table["id"], table["headline"], *table["keywords"])
        counts = (table["articles"], *table["days"].values())
        if not all(isinstance(text, str) for text in (*texts, table.get("into", ""))):
            raise TypeError("a story must be told in text")
        if not all(type(count) is int and 0 <= count < 1 << 53 for count in counts):
            raise TypeError("a story must have a number of articles")
        return cls(
            id=table["id"],
            headline=table["headline"],
            keywords=tuple(table["keywords"]),
            articles=table["articles"],
            first_seen=datetime.fromisoformat(table["first_seen"]),
            last_seen=datetime.fromisoformat(table["last_seen"]),
            days={date.fromisoformat(d): n for d, n in table["days"].items()},
            live=table["status"] == "live",
            into=table.get("into", ""),
        )

    def left_by(self, moments: Sequence[datetime]) -> StoryRecord:
        """Return the record without articles published at `moments`."""
        days = Counter(self.days)
        days.subtract(moment.date() for moment in moments)
        return replace(self, articles=self.articles - len(moments), days=dict(+days))

    def merged_with(self, other: StoryRecord) -> StoryRecord:
        """Return the record with all that another story ever had."""
        return replace(
            self,
            articles=self.articles + other.articles,
            first_seen=min(self.first_seen, other.first_seen),
            last_seen=max(self.last_seen, other.last_seen),
            days=dict(Counter(self.days) + Counter(other.days)),
        )

    def joined_by(self, moments: Sequence[datetime]) -> StoryRecord:
        """Return the record with articles published at `moments` in it."""
        days = Counter(self.days)
        days.update(moment.date() for moment in moments)
        return replace(
            self,
            articles=self.articles + len(moments),
            first_seen=min(self.first_seen, *moments),
            last_seen=max(self.last_seen, *moments),
            days=dict(days),
        )
