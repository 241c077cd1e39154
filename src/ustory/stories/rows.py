"""Stories and their days as the archive keeps them after a slide."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import log
from typing import Protocol, TypeAlias

from ustory.core.settings import Settings
from ustory.core.spans import EPOCH
from ustory.core.story import Event, EventKind, Story, other_story
from ustory.engine.state import Record, State
from ustory.links.copies import independent
from ustory.links.outlets import outlet_name
from ustory.paper.themes.stories import story_themes
from ustory.sources.origins import is_claimed, reporter
from ustory.store.tables import ArticleRow, StoryDay, StoryRow
from ustory.stories.language_rows import languages_before
from ustory.stories.live import (
    HALF_LIFE,
    first_seen,
    headline_article,
    heat_of,
    live_stories,
    members_of,
    window_start,
)
from ustory.stories.story_languages import common_language
from ustory.window.summary import StorySummary

Day: TypeAlias = tuple[str, int]
"""A story, and a day since 1970."""

MAX_NAMED_SOURCES = 5
"""Sources that a story's row names, those with most articles first."""

_DAY = timedelta(days=1)
_NEW = timedelta(hours=24)
_FADING = timedelta(hours=12)
_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideStories:
    """The stories after a slide, as far as the engine alone knows them."""

    slide: int
    """The number of the slide."""
    end: datetime
    since: datetime
    """Start of the window."""
    state: State
    """After the slide."""
    placed: frozenset[str]
    """Articles that arrived, moved or were released in the slide."""
    members: Mapping[str, Sequence[Record]]
    """The articles of each live story in the window, oldest first."""
    changed: Mapping[str, Story]
    """The live stories that gained or lost articles, or have one with a new text."""
    merged: Mapping[str, str]
    """Stories that are now part of another, and that other."""
    split: Mapping[str, str]
    """New stories made of articles of another, and that other."""
    gone: frozenset[str]
    """Stories that ended, merged or expired."""
    days: frozenset[Day]
    """Days of stories that gained or lost articles."""
    day_keywords: Mapping[Day, tuple[str, ...]]

    @classmethod
    def of(
        cls,
        before: State,
        after: State,
        events: Sequence[Event],
        slide: int,
        settings: Settings,
    ) -> SlideStories:
        """Return the stories after a slide.

        Headline and keywords are computed only while a story changes: one that
        fades away would be described by its last articles alone.
        """
        since = window_start(after, settings)
        assert after.end is not None
        assert since is not None
        told = touched_stories(events) | _retold(before, after)
        alive = told & after.stories.keys()
        described = live_stories(after, settings, alive) if alive else []
        days = _touched_days(before, after)
        return cls(
            slide=slide,
            end=after.end,
            since=since,
            state=after,
            placed=frozenset(_placed(before, after)),
            members=members_of(after),
            changed={story.id: story for story in described if story.id in alive},
            merged=_others(events, EventKind.MERGED),
            split=_others(events, EventKind.SPLIT),
            gone=frozenset(before.stories.keys() - after.stories.keys()),
            days=days,
            day_keywords=day_keywords(days, after, settings),
        )

    @property
    def named(self) -> frozenset[str]:
        """All stories whose rows are to be written."""
        return frozenset(self.members) | self.gone


def touched_stories(events: Iterable[Event]) -> frozenset[str]:
    """Return the stories of events, including the second story of each."""
    pairs = ((e.story, other_story(e.kind, e.details)) for e in events)
    return frozenset(story for pair in pairs for story in pair if story)


def _others(events: Iterable[Event], kind: EventKind) -> dict[str, str]:
    """Return the second story of each story that events of one kind are about."""
    found = {e.story: other_story(kind, e.details) for e in events if e.kind == kind}
    return {story: other for story, other in found.items() if other is not None}


def _placed(before: State, after: State) -> dict[str, Record]:
    """Return the articles of the window whose place a slide decided."""
    return {
        name: record
        for name, record in after.records.items()
        if record is not before.records.get(name)
    }


def _retold(before: State, after: State) -> frozenset[str]:
    """Return the stories that have an article with another text than before."""
    return frozenset(
        record.decision.story
        for name, record in _placed(before, after).items()
        if record.decision is not None
        and record.decision.story is not None
        and name in before.records
        and before.records[name].sentences is not record.sentences
    )


def _touched_days(before: State, after: State) -> frozenset[Day]:
    found = set()
    for name, record in _placed(before, after).items():
        both = (before.records.get(name), record)
        stories = {r.decision.story for r in both if r is not None and r.decision}
        day = day_number(record.published_at)
        found |= {(story, day) for story in stories if story is not None}
    return frozenset(found)


def trend(row: StoryRow, now: datetime) -> str:
    """Return in one word where a story is going, for people.

    `ended` if it is not live; `new` in its first day, or in its second if it became a
    story within a day; `fading` when nothing came for half a day, and for longer
    than usual in this story; `growing` while its articles are warm on average, or
    come faster than usual; `steady` otherwise.
    """
    if row.status != "live":
        return "ended"
    age = now - row.first_seen
    if age <= _NEW or (age <= 2 * _NEW and now - row.born_at <= _NEW):
        return "new"
    if now - row.last_seen > max(_FADING, min(1.5 * _usual_gap(row), 4 * _FADING)):
        return "fading"
    warm = row.heat >= row.inside / 2
    return "growing" if warm or row.heat >= 1.3 * _usual_heat(row, age) else "steady"


def _usual_gap(row: StoryRow) -> timedelta:
    """Return the mean time between two articles of a story."""
    spans = row.articles - 1
    return (row.last_seen - row.first_seen) / spans if spans > 0 else timedelta()


def _usual_heat(row: StoryRow, age: timedelta) -> float:
    """Return the heat that a story has whose articles come evenly."""
    span = min(max(age, _NEW), _WEEK)
    return row.inside * (HALF_LIFE / span) / log(2)


def story_rows(
    slide: SlideStories, known: Mapping[str, StoryRow]
) -> dict[str, StoryRow]:
    """Return the rows of all live stories and of those that ended.

    `known` are the rows before the slide. Language and sources, which the engine does
    not know, stay as they were: `with_sources` updates them.
    """
    rows = {}
    for story in sorted(slide.named):
        row = known.get(story)
        if story in slide.gone:
            if row is not None:
                rows[story] = _ended(slide, row)
        elif story in slide.changed:
            rows[story] = _described(slide, story, known)
        elif row is not None:
            rows[story] = _aged(slide, row)
    return rows


def _described(
    slide: SlideStories, name: str, known: Mapping[str, StoryRow]
) -> StoryRow:
    """Return the row of a story that gained or lost articles."""
    story = slide.changed[name]
    row = known.get(name) or StoryRow(
        id=name,
        first_seen=story.first_seen,
        last_seen=story.last_seen,
        born_at=slide.end,
        born_slide=slide.slide,
        changed_slide=slide.slide,
        split_from=slide.split.get(name),
    )
    parts = [known[k] for k, into in slide.merged.items() if into == name]
    return replace(
        _aged(slide, row),
        status="live",
        headline=story.headline,
        keywords=story.keywords,
        first_seen=first_seen(
            story, [r.first_seen for r in (row, *parts)], slide.since
        ),
        last_seen=story.last_seen,
        articles=story.total,
        changed_slide=slide.slide,
        merged_into=None,
        languages=languages_before(row),
    )


def _aged(slide: SlideStories, row: StoryRow) -> StoryRow:
    """Return a row with the values that change with time alone."""
    records, link = slide.members[row.id], slide.state.link
    inside = [link.articles[r.id] for r in records if r.id in link.articles]
    return replace(
        row,
        inside=len(records),
        sources=independent(inside, link.copies),
        heat=heat_of(records, link, slide.end),
    )


def _ended(slide: SlideStories, row: StoryRow) -> StoryRow:
    into = slide.merged.get(row.id)
    return replace(
        row,
        status="expired" if into is None else "merged",
        merged_into=into,
        inside=0,
        heat=0.0,
        changed_slide=slide.slide,
    )


def with_sources(row: StoryRow, articles: Sequence[ArticleRow]) -> StoryRow:
    """Return a story's row with the language and the sources of its articles."""
    # a name that is only claimed comes after those that were fetched
    claimed = {a.source for a in articles if a.source}
    claimed -= {a.source for a in articles if not is_claimed(a.source, a.origin)}
    sources = Counter(article.source for article in articles if article.source)
    ranked = sorted(_by_count(sources), key=claimed.__contains__)
    return replace(
        row,
        lang=common_language((a.lang, outlet_name(a.source) or a.id) for a in articles),
        top_sources=tuple(ranked[:MAX_NAMED_SOURCES]),
    )


def _by_count(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


class Reported(Protocol):
    """What is asked of an article to count its source."""

    @property
    def copy_of(self) -> str | None:
        """The article whose text it repeats."""

    @property
    def source(self) -> str | None:
        """The name of its source."""

    @property
    def origin(self) -> str:
        """Who brought it."""


def independent_sources(articles: Iterable[Reported]) -> int:
    """Return how many sources reported by themselves; unnamed ones count each."""
    first = [article for article in articles if article.copy_of is None]
    named = [reporter(article.source, article.origin) for article in first]
    return len(set(filter(None, named))) + sum(not source for source in named)


def day_number(moment: datetime) -> int:
    """Return the day of a moment, counted from 1970 in UTC.

    >>> day_number(datetime.fromisoformat("1970-01-03T23:59:59+00:00"))
    2
    """
    return (moment - EPOCH) // _DAY


def day_start(day: int) -> datetime:
    """Return when a day begins."""
    return EPOCH + day * _DAY


def day_keywords(
    days: Iterable[Day], state: State, settings: Settings
) -> dict[Day, tuple[str, ...]]:
    """Return the keywords of some days of live stories, chosen among all stories."""
    wanted = [day for day in sorted(days) if day[0] in state.stories]
    if not wanted:
        return {}
    parts = [_part(state.stories[story], day, state) for story, day in wanted]
    kept = [(day, part) for day, part in zip(wanted, parts, strict=True) if part.panes]
    every = [*state.stories.values(), *(part for _, part in kept)]
    themes, _ = story_themes(every, dict(state.days), state.vocabulary, settings)
    rows = themes.terms[len(state.stories) :].tolist()
    return {
        day: tuple(state.vocabulary.term(term) for term in row if term >= 0)
        for (day, _), row in zip(kept, rows, strict=True)
    }


def _part(summary: StorySummary, day: int, state: State) -> StorySummary:
    """Return what a story has in the panes of one day."""
    panes = {p: s for p, s in summary.panes.items() if int(state.days[p]) == day}
    return replace(summary, panes=panes)


def story_days(
    slide: SlideStories,
    known: Mapping[Day, StoryDay | None],
    articles: Iterable[ArticleRow],
) -> list[StoryDay]:
    """Return the days in `known`, counted over the articles that the archive has.

    A day that lost all its articles has 0. A day that has left the window keeps its
    keywords and its central article.
    """
    by_day: dict[Day, list[ArticleRow]] = defaultdict(list)
    for article in articles:
        if article.story is not None:
            by_day[article.story, day_number(article.published_at)].append(article)
    found = []
    for (story, day), row in sorted(known.items()):
        own = by_day[story, day]
        before = row or StoryDay(story=story, day=day, articles=0)
        changed = slide.changed.get(story)
        words = slide.day_keywords.get((story, day)) or before.keywords
        found.append(
            StoryDay(
                story=story,
                day=day,
                articles=len(own),
                sources=independent_sources(own),
                keywords=words or (changed.keywords if changed is not None else ()),
                central=_central(slide, story, day) or before.central,
            )
        )
    return found


def _central(slide: SlideStories, story: str, day: int) -> str | None:
    """Return the article of a day whose title would be the headline."""
    changed = slide.changed.get(story)
    records = [
        record
        for record in slide.members.get(story, ())
        if day_number(record.published_at) == day and record.vector is not None
    ]
    if changed is None or changed.vector is None or not records:
        return None
    return headline_article(records, changed.vector, slide.state.link).id
