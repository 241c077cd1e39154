"""The results of a slide, written to the store in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from ustory.core.settings import Settings
from ustory.core.story import Decision, Event
from ustory.service.slide_runner import SlideOutcome
from ustory.service.to_json import plain
from ustory.store import Connection
from ustory.store.articles import articles_since
from ustory.store.languages import write_languages
from ustory.store.listing import stories_by_id
from ustory.store.results import (
    Placement,
    articles_of,
    count_languages,
    days_of,
    forget_days,
    place_articles,
    write_decisions,
    write_events,
    write_stories,
)
from ustory.store.slides import finish_slide
from ustory.store.tables import (
    ArticleRow,
    DecisionRow,
    EventRow,
    StoryDay,
    StoryRow,
)
from ustory.stories.language_rows import with_languages
from ustory.stories.rows import (
    Day,
    SlideStories,
    day_number,
    day_start,
    story_days,
    story_rows,
    with_sources,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A slide that is computed and not written yet: writing it takes little time."""

    outcome: SlideOutcome
    stories: SlideStories

    @classmethod
    def of(cls, outcome: SlideOutcome, settings: Settings) -> Draft:
        """Return the draft of a slide."""
        number, events = outcome.task.number, outcome.events
        stories = SlideStories.of(
            outcome.before, outcome.after, events, number, settings
        )
        return cls(outcome=outcome, stories=stories)


def write_slide(
    connection: Connection, draft: Draft, done_at: datetime
) -> dict[str, StoryRow]:
    """Write everything that a slide did, and return the rows of its stories."""
    outcome, stories = draft.outcome, draft.stories
    write_languages(connection, outcome.languages)
    place_articles(connection, outcome.places)
    late = _followers(connection, stories)
    places = outcome.places | {row.id: _follow(row, stories) for row in late}
    place_articles(connection, {row.id: places[row.id] for row in late})
    write_decisions(connection, decision_rows(outcome, places))
    rows = _write_stories(connection, stories, stories.days | _days_of(late, stories))
    write_events(connection, event_rows(outcome.events, outcome.task.number))
    finish_slide(
        connection,
        outcome.task.number,
        done_at=done_at,
        stories=len(outcome.after.stories),
        seconds=outcome.seconds,
    )
    return rows


def _write_stories(
    connection: Connection, stories: SlideStories, days: Set[Day]
) -> dict[str, StoryRow]:
    known = stories_by_id(connection, sorted({*stories.named, *stories.merged}))
    rows = story_rows(stories, known)
    changed = sorted({*stories.changed, *(story for story, _ in days)})
    since = min([day_start(day) for _, day in days] + [stories.since])
    found = articles_since(connection, changed, since)
    by_story: dict[str, list[ArticleRow]] = defaultdict(list)
    for article in found:
        assert article.story is not None
        by_story[article.story].append(article)
    counts = count_languages(connection, sorted(stories.changed))
    for story, now in stories.changed.items():
        row = with_sources(rows[story], by_story[story])
        if now.lang is not None:  # of the articles that its headline is chosen from
            row = replace(row, lang=now.lang)
        rows[story] = with_languages(row, counts[story], now.languages)
    known_days = _known_days(connection, stories, days)
    counted = story_days(stories, known_days, found)
    empty = [(day.story, day.day) for day in counted if not day.articles]
    forget_days(connection, empty)
    write_stories(
        connection,
        [rows[story] for story in sorted(rows)],
        [day for day in counted if day.articles],
        sources={
            story: sorted({a.source for a in by_story[story] if a.source})
            for story in stories.changed
        },
    )
    return rows


def _known_days(
    connection: Connection, stories: SlideStories, days: Set[Day]
) -> dict[Day, StoryDay | None]:
    """Return what is known of some days; those of a merged story go on in the other."""
    known = days_of(connection, sorted({story for story, _ in days}))
    for (story, day), row in list(known.items()):
        if story in stories.merged:
            known.setdefault((stories.merged[story], day), row)
    return {day: known.get(day) for day in days}


def _followers(connection: Connection, stories: SlideStories) -> list[ArticleRow]:
    """Return the articles that had left the window when their story merged."""
    found = articles_of(connection, list(stories.merged))
    return [row for rows in found.values() for row in rows]


def _follow(row: ArticleRow, stories: SlideStories) -> Placement:
    assert row.story is not None
    return Placement(
        story=stories.merged[row.story],
        how="moved",
        confidence=row.confidence,
        copy_of=row.copy_of,
    )


def _days_of(rows: Iterable[ArticleRow], stories: SlideStories) -> set[Day]:
    found = set()
    for row in rows:
        assert row.story is not None
        day = day_number(row.published_at)
        found |= {(row.story, day), (stories.merged[row.story], day)}
    return found


def decision_rows(
    outcome: SlideOutcome, places: Mapping[str, Placement]
) -> list[DecisionRow]:
    """Return what was decided about each article that has a new place."""
    rows = [
        DecisionRow(
            article=article,
            slide=outcome.task.number,
            story=place.story,
            record=_record(place, outcome.decisions.get(article)),
        )
        for article, place in places.items()
    ]
    return sorted(rows, key=lambda row: row.article)


def _record(place: Placement, decision: Decision | None) -> dict[str, Any]:
    """Return all fields of a decision, and what else a placement needs."""
    table = plain(asdict(decision)) if decision is not None else {}
    return {**table, **plain(asdict(place))}


def event_rows(events: Iterable[Event], slide: int) -> list[EventRow]:
    """Return the lines of the ledger; the store numbers them."""
    return [
        EventRow(
            id=0,
            slide=slide,
            at=event.at,
            kind=event.kind,
            story=event.story,
            articles=event.articles,
            details=dict(event.details),
        )
        for event in events
    ]
