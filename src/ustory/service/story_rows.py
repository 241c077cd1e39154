"""Stories as the archive shows them after a slide: rows with headline and heat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import fsum

from ustory.core.settings import Settings
from ustory.core.story import Event, EventKind, Story, other_story
from ustory.engine.state import Record, State
from ustory.engine.stories import live_stories
from ustory.links.copies import independent
from ustory.links.state import LinkState
from ustory.service.slide_runner import SlideOutcome
from ustory.store.tables import StoryRow

HALF_LIFE = timedelta(hours=12)
"""An article warms its story half as much for every half day of its age."""

_FRESH = timedelta(hours=24)
_TREND = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Portraits:
    """What a slide shows of the stories, as far as the engine alone knows it."""

    told: SlideOutcome
    since: datetime
    """Start of the window."""
    members: Mapping[str, Sequence[Record]]
    """The articles of each live story in the window, oldest first."""
    changed: Mapping[str, Story]
    """The live stories that gained or lost articles, as they now stand."""
    merged: Mapping[str, str]
    """The stories that are now part of another."""
    split: Mapping[str, str]
    """New stories made of articles of another."""
    gone: frozenset[str]
    """Stories that are no more, merged or expired."""

    @classmethod
    def of(cls, told: SlideOutcome, settings: Settings) -> Portraits:
        """Return the portraits after a slide.

        Headline and keywords are taken while a story grows: of one that fades away
        only its last articles would be left to speak.
        """
        touched = touched_stories(told.events)
        alive = touched & told.after.stories.keys()
        described = live_stories(told.after, settings) if alive else []
        return cls(
            told=told,
            since=told.task.end - _window(settings),
            members=members_of(told.after),
            changed={story.id: story for story in described if story.id in alive},
            merged=_others(told.events, EventKind.MERGED),
            split=_others(told.events, EventKind.SPLIT),
            gone=frozenset(told.before.stories.keys() - told.after.stories.keys()),
        )

    @property
    def named(self) -> frozenset[str]:
        """All stories whose rows are to be written."""
        return frozenset(self.members) | self.gone


def touched_stories(events: Iterable[Event]) -> frozenset[str]:
    """Return the stories that events tell of, the other one of each included."""
    pairs = ((e.story, other_story(e.kind, e.details)) for e in events)
    return frozenset(story for pair in pairs for story in pair if story)


def members_of(state: State) -> dict[str, list[Record]]:
    """Return the articles of each live story, in order of publication, then of id."""
    members: dict[str, list[Record]] = {story: [] for story in state.stories}
    for record in sorted(state.records.values(), key=lambda r: (r.published_at, r.id)):
        if record.decision is not None and record.decision.story in members:
            members[record.decision.story].append(record)
    return members


def heat_of(records: Iterable[Record], link: LinkState, at: datetime) -> float:
    """Return how hot a story is: its articles, each halved for every half day.

    A source that prints one text several times is heard once. `records` are in
    order of publication.
    """
    heard: set[tuple[int, str]] = set()
    warmth = []
    for record in records:
        article = link.articles.get(record.id)
        if article is not None and article.source:
            text = link.copies.get(article.serial, article.serial)
            if (text, article.source) in heard:
                continue
            heard.add((text, article.source))
        warmth.append(2.0 ** -((at - record.published_at) / HALF_LIFE))
    return round(fsum(warmth), 6)


def story_rows(
    portraits: Portraits, known: Mapping[str, StoryRow]
) -> dict[str, StoryRow]:
    """Return the rows of all live stories and of those that ended.

    `known` are the rows before the slide. Language and sources are not in the
    engine: they stay as they were, for `with_sources` to bring up to date.
    """
    rows = {}
    for story in sorted(portraits.named):
        row = known.get(story)
        if story in portraits.gone:
            if row is not None:
                rows[story] = _ended(portraits, row)
        elif story in portraits.changed:
            rows[story] = _described(portraits, story, known)
        elif row is not None:
            rows[story] = _aged(portraits, row)
    return rows


def _described(
    portraits: Portraits, name: str, known: Mapping[str, StoryRow]
) -> StoryRow:
    """Return the row of a story that gained or lost articles."""
    told, story = portraits.told, portraits.changed[name]
    row = known.get(name) or StoryRow(
        id=name,
        first_seen=story.first_seen,
        last_seen=story.last_seen,
        born_at=told.task.end,
        born_slide=told.task.number,
        changed_slide=told.task.number,
        split_from=portraits.split.get(name),
    )
    parts = [known[k] for k, into in portraits.merged.items() if into == name]
    seen = [story.first_seen, *(part.first_seen for part in parts)]
    if row.first_seen < portraits.since:  # else the window holds all that it had
        seen.append(row.first_seen)
    return replace(
        _aged(portraits, row),
        status="live",
        headline=story.headline,
        keywords=story.keywords,
        first_seen=min(seen),
        last_seen=story.last_seen,
        articles=story.total,
        changed_slide=told.task.number,
        merged_into=None,
    )


def _aged(portraits: Portraits, row: StoryRow) -> StoryRow:
    """Return a row with what time alone changes."""
    told, records = portraits.told, portraits.members[row.id]
    link = told.after.link
    inside = [link.articles[r.id] for r in records if r.id in link.articles]
    return replace(
        row,
        inside=len(records),
        sources=independent(inside, link.copies),
        heat=heat_of(records, link, told.task.end),
    )


def _ended(portraits: Portraits, row: StoryRow) -> StoryRow:
    into = portraits.merged.get(row.id)
    return replace(
        row,
        status="expired" if into is None else "merged",
        merged_into=into,
        inside=0,
        heat=0.0,
        changed_slide=portraits.told.task.number,
    )


def _window(settings: Settings) -> timedelta:
    assert isinstance(settings.window, timedelta)
    return settings.window


def _others(events: Iterable[Event], kind: EventKind) -> dict[str, str]:
    """Return the other story of each story that events of one kind are about."""
    found = {e.story: other_story(kind, e.details) for e in events if e.kind is kind}
    return {story: other for story, other in found.items() if other is not None}


def trend(row: StoryRow, now: datetime) -> str:
    """Return a word for where a story is going, for people.

    `ended` when it is no more; `new` in its first day; `growing` while its articles
    are warm as a whole; `fading` when the latest is over half a day old; `steady`
    otherwise.
    """
    if row.status != "live":
        return "ended"
    if now - row.first_seen <= _FRESH:
        return "new"
    if now - row.last_seen > _TREND:
        return "fading"
    return "growing" if row.heat >= row.inside / 2 else "steady"
