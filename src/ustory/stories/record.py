"""The record of every story over its life, also after it has left the window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, assert_never

from ustory.core.settings import Settings
from ustory.core.spans import EPOCH
from ustory.core.story import Event, EventKind, Story, other_story
from ustory.core.wording import utc_text
from ustory.engine.state import Record, State
from ustory.stories.live import first_seen, live_stories, new_headlines, window_start

MAX_EXPIRED_STORIES = 2000
"""Expired stories that a run keeps for its table, the largest ones."""

_DESCRIPTIONS_PER_WINDOW = 28
"""How often stories are described while the window moves by its own length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRecord:
    """A story in a few hundred bytes, as tables and files show it."""

    id: str
    headline: str = ""
    keywords: tuple[str, ...] = ()
    articles: int = 0
    """All it ever had."""
    first_seen: datetime
    last_seen: datetime
    days: Mapping[date, int] = field(default_factory=dict)
    """Articles per day of publication."""
    languages: Mapping[str, int] = field(default_factory=dict)
    """Articles per language, where that is known."""
    headlines: Mapping[str, str] = field(default_factory=dict)
    """The headline in each language, where it was told in several."""
    live: bool = True
    into: str = ""
    """The story that it was merged into, if any."""

    @property
    def status(self) -> str:
        """`live`, `merged` or `expired`."""
        return "merged" if self.into else "live" if self.live else "expired"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as `--stories` writes it and the state file keeps it."""
        return {
            "id": self.id,
            "headline": self.headline,
            "keywords": list(self.keywords),
            "articles": self.articles,
            "first_seen": utc_text(self.first_seen),
            "last_seen": utc_text(self.last_seen),
            "days": {str(day): self.days[day] for day in sorted(self.days)},
            "languages": dict(
                sorted(self.languages.items(), key=lambda pair: (-pair[1], pair[0]))
            ),
            "headlines": dict(self.headlines),
            "status": self.status,
            **({"into": self.into} if self.into else {}),
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> StoryRecord:
        """Read the result of `to_dict`; TypeError or ValueError for anything else."""
        languages, headlines = table.get("languages", {}), table.get("headlines", {})
        texts = (table["id"], table["headline"], *table["keywords"])
        texts += (*languages, *headlines, *headlines.values())
        counts = (table["articles"], *table["days"].values(), *languages.values())
        if not all(isinstance(text, str) for text in (*texts, table.get("into", ""))):
            raise TypeError("headline and keywords of a story must be text")
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
            languages=dict(languages),
            headlines=dict(headlines),
            live=table["status"] == "live",
            into=table.get("into", ""),
        )

    def joined_by(self, articles: Sequence[Record]) -> StoryRecord:
        """Return the record with more articles."""
        moments = [article.published_at for article in articles]
        days = Counter(self.days)
        days.update(moment.date() for moment in moments)
        languages = Counter(self.languages)
        languages.update(article.lang for article in articles if article.lang)
        return replace(
            self,
            articles=self.articles + len(moments),
            first_seen=min(self.first_seen, *moments),
            last_seen=max(self.last_seen, *moments),
            days=dict(days),
            languages=dict(languages),
        )

    def left_by(self, articles: Sequence[Record]) -> StoryRecord:
        """Return the record without some of its articles."""
        days, languages = Counter(self.days), Counter(self.languages)
        days.subtract(article.published_at.date() for article in articles)
        languages.subtract(article.lang for article in articles if article.lang)
        return replace(
            self,
            articles=self.articles - len(articles),
            days=dict(+days),
            languages=dict(+languages),
        )

    def merged_with(self, other: StoryRecord) -> StoryRecord:
        """Return the record with everything that another story ever had."""
        return replace(
            self,
            articles=self.articles + other.articles,
            first_seen=min(self.first_seen, other.first_seen),
            last_seen=max(self.last_seen, other.last_seen),
            days=dict(Counter(self.days) + Counter(other.days)),
            languages=dict(Counter(self.languages) + Counter(other.languages)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRecords:
    """The records of a run as its state file keeps them."""

    live: tuple[StoryRecord, ...] = ()
    joined: int = 0
    """Articles that ever found a story."""
    stale: frozenset[str] = frozenset()
    """Live stories that changed since they were last described."""
    gone: tuple[StoryRecord, ...] = ()
    """Ended stories that decisions on articles in the window still name."""


class StoryRecords:
    """The stories of a run, live and expired. Mutable; the records in it are not.

    Of the expired ones only the largest are kept: a stream may never end.

    Headline and keywords are computed while a story grows: one that fades away would
    be described by its last articles alone. Describing all stories costs about as
    much as a slide, so several short slides share one description. When it is due
    depends only on the time in the stream: a run in two parts describes the stories
    at the same moments as a whole run.
    """

    def __init__(self, settings: Settings, state: State, saved: SavedRecords) -> None:
        self._settings = settings
        self._tick = _tick(state, settings)
        self.live = {record.id: record for record in saved.live}
        self.joined = saved.joined
        self.in_run = len(self.live)
        """Stories that were live at some time of this run."""
        self._expired: list[StoryRecord] = []
        self._stale = set(saved.stale)
        self._headlines: Mapping[str, str] = {}
        self._gone = {record.id: record for record in saved.gone}

    def update(self, state: State, events: Iterable[Event]) -> list[StoryRecord]:
        """Apply the events of a slide; return the stories that ended in it."""
        events = list(events)
        self._headlines = self._new_headlines(state, events)
        ended = [
            record
            for event in events
            if (record := self._apply(state, event)) is not None
        ]
        self._expired += [record for record in ended if not record.into]
        if len(self._expired) > 2 * MAX_EXPIRED_STORIES:
            self._expired = _largest(self._expired)[:MAX_EXPIRED_STORIES]
        self._gone |= {record.id: record for record in ended}
        tick = _tick(state, self._settings)
        if tick != self._tick:
            self._tick = tick
            self.describe(state)
            named = _named_in(state)
            self._gone = {k: record for k, record in self._gone.items() if k in named}
        return ended

    def describe(self, state: State) -> None:
        """Compute headline, keywords and dates of the stories that changed."""
        if not self._stale:
            return
        since = window_start(state, self._settings)
        for story in live_stories(state, self._settings, self._stale):
            if story.id in self._stale:
                record = self.live[story.id]
                self.live[story.id] = replace(
                    record,
                    headline=story.headline,
                    keywords=story.keywords,
                    headlines=_headlines(record, story),
                    first_seen=first_seen(story, [record.first_seen], since),
                    last_seen=story.last_seen,
                )
        self._stale.clear()

    def saved(self) -> SavedRecords:
        """Return what a later run needs to go on."""
        return SavedRecords(
            live=tuple(self.live.values()),
            joined=self.joined,
            stale=frozenset(self._stale),
            gone=tuple(self._gone.values()),
        )

    def largest(self) -> list[StoryRecord]:
        """Return the stories of the run, the largest first; all but small old ones."""
        expired = _largest(self._expired)[:MAX_EXPIRED_STORIES]
        return _largest([*self.live.values(), *expired])

    def _new_headlines(self, state: State, events: Iterable[Event]) -> dict[str, str]:
        """Return the headlines of the stories that have no record yet."""
        made_of: dict[str, list[Record]] = {}
        for event in events:
            new = event.story in state.stories and event.story not in self.live
            if new and event.articles:
                records = [state.records[article] for article in event.articles]
                made_of.setdefault(event.story, records)
        return new_headlines(made_of, state, self._settings)

    def _apply(self, state: State, event: Event) -> StoryRecord | None:
        """Update the records by an event; return the story that it ended, if any."""
        other = other_story(event.kind, event.details)
        match event.kind:
            case EventKind.BORN | EventKind.REVIVED | EventKind.GREW:
                self._grow(state, event)
                self.joined += len(event.articles)
            case EventKind.SPLIT | EventKind.MOVED:
                self._lose(state, other or "", event)
                self._grow(state, event)
            case EventKind.RELEASED:
                self._lose(state, event.story, event)
                self.joined -= len(event.articles)
            case EventKind.EXPIRED | EventKind.MERGED:
                return self._end(event.story, other or "")
            case EventKind.METHOD_CHANGED | EventKind.WITHDRAWN:
                pass  # events of archives: they name no story
            case _:
                assert_never(event.kind)
        return None

    def _end(self, story: str, into: str) -> StoryRecord | None:
        """Remove a story that expired or is now part of another, and return it."""
        record = self.live.pop(story, None)
        self._stale.discard(story)
        if record is not None and into:
            self.live[into] = self.live[into].merged_with(record)
            self._stale.add(into)
            self.in_run -= 1  # it counts as part of the other
        return None if record is None else replace(record, live=False, into=into)

    def _lose(self, state: State, story: str, event: Event) -> None:
        if story in self.live:
            articles = [state.records[name] for name in event.articles]
            self.live[story] = self.live[story].left_by(articles)
            self._stale.add(story)

    def _grow(self, state: State, event: Event) -> None:
        articles = [state.records[article] for article in event.articles]
        moments = [article.published_at for article in articles]
        record = self.live.get(event.story)
        if record is None:
            self.in_run += 1
            record = StoryRecord(
                id=event.story,
                headline=self._headlines[event.story],
                first_seen=min(moments),
                last_seen=max(moments),
            )
        self.live[event.story] = record.joined_by(articles)
        self._stale.add(event.story)


def _largest(records: list[StoryRecord]) -> list[StoryRecord]:
    return sorted(records, key=lambda record: (-record.articles, record.id))


def _headlines(record: StoryRecord, story: Story) -> dict[str, str]:
    """Return the headlines of a story in its languages, the most common first.

    A language that has left the window keeps the one it had.
    """
    new = {each.lang: each.headline for each in story.languages if each.headline}
    return {lang: new.get(lang, old) for lang, old in record.headlines.items()} | new


def _tick(state: State, settings: Settings) -> int:
    """Return how many descriptions are due up to the end of a state."""
    window, slide, times = settings.window, settings.slide, _DESCRIPTIONS_PER_WINDOW
    if isinstance(window, int) and isinstance(slide, int):
        return state.arrivals // max(slide, window // times)
    assert isinstance(window, timedelta)
    assert isinstance(slide, timedelta)
    return (
        -1 if state.end is None else (state.end - EPOCH) // max(slide, window / times)
    )


def _named_in(state: State) -> set[str | None]:
    """Return the stories that decisions on articles in the window name."""
    decisions = (record.decision for record in state.records.values())
    return {
        story
        for decision in decisions
        if decision is not None
        for story in (decision.best, decision.runner_up)
    }
