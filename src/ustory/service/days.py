"""The days of stories: how many articles each had, by whom, and in which words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias

from ustory.core.settings import Settings
from ustory.core.spans import EPOCH
from ustory.engine.headlines import headlined
from ustory.engine.state import State
from ustory.paper.themes.stories import story_themes
from ustory.service.origins import is_claimed, reporter
from ustory.service.slide_runner import SlideOutcome
from ustory.service.story_rows import Portraits
from ustory.store.tables import ArticleRow, StoryDay, StoryRow
from ustory.window.summary import StorySummary

Day: TypeAlias = tuple[str, int]
"""A story, and a day since 1970."""

MOST_SOURCES = 5
"""Sources that a story's row names, those with most articles first."""

_DAY = timedelta(days=1)


def day_number(moment: datetime) -> int:
    """Return the day of a moment, counted from 1970 in UTC.

    >>> day_number(datetime.fromisoformat("1970-01-03T23:59:59+00:00"))
    2
    """
    return (moment - EPOCH) // _DAY


def day_start(day: int) -> datetime:
    """Return when a day begins."""
    return EPOCH + day * _DAY


def touched_days(told: SlideOutcome) -> frozenset[Day]:
    """Return the days of stories that gained or lost articles in a slide."""
    found = set()
    for article, place in told.places.items():
        before = told.before.records.get(article)
        record = told.after.records.get(article) or before
        if record is None:
            continue
        day = day_number(record.published_at)
        stories = {place.story}
        if before is not None and before.decision is not None:
            stories.add(before.decision.story)
        found |= {(story, day) for story in stories if story is not None}
    return frozenset(found)


def day_keywords(
    days: Iterable[Day], state: State, settings: Settings
) -> dict[Day, tuple[str, ...]]:
    """Return the keywords of some days of live stories, among all stories."""
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
    portraits: Portraits,
    keywords: Mapping[Day, tuple[str, ...]],
    days: Mapping[Day, StoryDay | None],
    articles: Iterable[ArticleRow],
) -> list[StoryDay]:
    """Return the given days, counted over the articles that the archive has of them.

    A day that no article is left of has 0 articles. Of one that has left the window
    keywords and the central article stay as they were: `days` has what is known.
    """
    by_day: dict[Day, list[ArticleRow]] = defaultdict(list)
    for article in articles:
        if article.story is not None:
            by_day[article.story, day_number(article.published_at)].append(article)
    found = []
    for (story, day), known in sorted(days.items()):
        own = by_day[story, day]
        before = known or StoryDay(story=story, day=day, articles=0)
        words = keywords.get((story, day)) or before.keywords
        found.append(
            StoryDay(
                story=story,
                day=day,
                articles=len(own),
                sources=independent_sources(own),
                keywords=words or _keywords(portraits, story),
                central=_central(portraits, story, day) or before.central,
            )
        )
    return found


def _keywords(portraits: Portraits, story: str) -> tuple[str, ...]:
    told = portraits.changed.get(story)
    return told.keywords if told is not None else ()


def independent_sources(articles: Sequence[ArticleRow]) -> int:
    """Return how many sources reported by themselves; unnamed ones count each."""
    first = [article for article in articles if article.copy_of is None]
    heard = [reporter(article.source, article.origin) for article in first]
    return len(set(filter(None, heard))) + sum(not source for source in heard)


def _central(portraits: Portraits, story: str, day: int) -> str | None:
    told = portraits.changed.get(story)
    records = [
        record
        for record in portraits.members.get(story, ())
        if day_number(record.published_at) == day and record.vector is not None
    ]
    if told is None or told.vector is None or not records:
        return None
    known = portraits.told.after.link.articles
    return headlined(records, told.vector, known).id


def with_sources(row: StoryRow, articles: Sequence[ArticleRow]) -> StoryRow:
    """Return a story's row with the language and the sources of its articles."""
    languages = Counter(article.lang for article in articles if article.lang)
    # a name that is only claimed comes behind those that were fetched
    claimed = {a.source for a in articles if a.source}
    claimed -= {a.source for a in articles if not is_claimed(a.source, a.origin)}
    sources = Counter(article.source for article in articles if article.source)
    ranked = sorted(_most(sources), key=claimed.__contains__)
    return replace(
        row,
        lang=next(iter(_most(languages)), None),
        top_sources=tuple(ranked[:MOST_SOURCES]),
    )


def _most(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))
