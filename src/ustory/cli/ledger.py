"""A light record of every story of a run, also of those that have expired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from ustory.cli.rows import utc_text
from ustory.core.story import Event, Story
from ustory.engine.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRecord:
    """A story in a few hundred bytes, as it last stood."""

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
            "status": "live" if self.live else "expired",
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> StoryRecord:
        """Read back what `to_dict` returned."""
        return cls(
            id=table["id"],
            headline=table["headline"],
            keywords=tuple(table["keywords"]),
            articles=table["articles"],
            first_seen=datetime.fromisoformat(table["first_seen"]),
            last_seen=datetime.fromisoformat(table["last_seen"]),
            days={date.fromisoformat(d): n for d, n in table["days"].items()},
            live=table["status"] == "live",
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


class Ledger:
    """The stories of a run, live and expired. Mutable; the records in it are not."""

    def __init__(self, live: Iterable[StoryRecord] = (), joined: int = 0) -> None:
        self.live = {record.id: record for record in live}
        self.expired: list[StoryRecord] = []
        self.joined = joined
        """Articles that ever found a story."""

    def note(
        self,
        state: State,
        events: Iterable[Event],
        as_they_stand: Callable[[], Iterable[Story]],
    ) -> list[StoryRecord]:
        """Take in what a slide did; return the stories that expired in it."""
        expired, changed = [], set()
        for event in events:
            if event.kind in ("born", "grew"):
                self._grow(state, event)
                changed.add(event.story)
            elif event.kind == "expired" and event.story in self.live:
                expired.append(replace(self.live.pop(event.story), live=False))
        self.expired += expired
        if changed:
            self._describe(as_they_stand(), changed)
        return expired

    def everything(self) -> list[StoryRecord]:
        """Return all stories of the run, the largest first."""
        records = [*self.live.values(), *self.expired]
        return sorted(records, key=lambda record: (-record.articles, record.id))

    def _grow(self, state: State, event: Event) -> None:
        moments = [state.records[article].published_at for article in event.articles]
        record = self.live.get(event.story) or StoryRecord(
            id=event.story, first_seen=min(moments), last_seen=max(moments)
        )
        self.live[event.story] = record.joined_by(moments)
        self.joined += len(moments)

    def _describe(self, stories: Iterable[Story], changed: set[str]) -> None:
        # While it grows a story shows its most typical headline; of one that fades
        # away only its last articles would be left to speak.
        for story in stories:
            if story.id in changed:
                self.live[story.id] = replace(
                    self.live[story.id],
                    headline=story.headline,
                    keywords=story.keywords,
                )
