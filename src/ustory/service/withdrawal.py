"""Articles withdrawn from the archive: from its tables, its stories and its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from ustory.core.errors import InputError
from ustory.core.method import METHOD
from ustory.core.story import EventKind, Story
from ustory.engine.state import State
from ustory.engine.state_changes import Withdrawn
from ustory.service.known import addresses_of
from ustory.service.recovery import Point, to_article
from ustory.service.resume import keep_state
from ustory.service.slide_runner import SlideRunner
from ustory.sources.origins import shown
from ustory.store import Connection
from ustory.store.articles import texts_of_slide
from ustory.store.epochs import WITHDRAWAL, begin_epoch
from ustory.store.listing import (
    days_of_story,
    stories_merged_into,
    stories_with_headlines,
)
from ustory.store.listing import story as now_part_of
from ustory.store.results import articles_of, forget_parts, write_events, write_stories
from ustory.store.search_rows import forget_unused_sources
from ustory.store.tables import (
    ArticleRow,
    EventRow,
    RevisionRow,
    StoryDay,
    StoryRow,
)
from ustory.store.withdraw import erase, named_by, texts_of
from ustory.stories.language_rows import with_languages
from ustory.stories.live import heat_of, live_stories, members_of
from ustory.stories.rows import (
    day_keywords,
    day_number,
    independent_sources,
    with_sources,
)
from ustory.stories.story_languages import language_in

RULES = ("article", "source", "origin", "text")


@dataclass(frozen=True, slots=True)
class WithdrawalRule:
    """Which articles: one id, all of a source or an origin, or all of a text."""

    kind: str
    value: str

    def __post_init__(self) -> None:
        """Refuse a rule that matches nothing or everything."""
        if self.kind not in RULES or not self.value.strip():
            raise InputError(
                "withdrawal-rule",
                f"a withdrawal names an article, a source, an origin or a text that is "
                f"not blank; got {self.kind!r} {self.value!r}",
                file="withdrawal",
                line=0,
            )


@dataclass(frozen=True, slots=True)
class WithdrawalReceipt:
    """The result of a withdrawal."""

    articles: int
    stories: int
    """Stories that lost articles."""


@dataclass(frozen=True, slots=True)
class _Gone:
    """The withdrawn articles, and all terms of their texts."""

    rows: Sequence[ArticleRow]
    terms: frozenset[str]

    def of(self, names: Collection[str]) -> _Gone:
        """Return only those of some stories."""
        return replace(self, rows=[row for row in self.rows if row.story in names])

    @property
    def dates(self) -> set[datetime]:
        """Their dates of publication."""
        return {row.published_at for row in self.rows}

    @property
    def days(self) -> Counter[int]:
        """Their number by day."""
        return Counter(day_number(row.published_at) for row in self.rows)


def withdraw(
    connection: Connection,
    runner: SlideRunner,
    point: Point,
    rule: WithdrawalRule,
    now: datetime,
) -> tuple[Point, WithdrawalReceipt]:
    """Remove the articles of a rule from the archive, and return the new point.

    All in the given transaction: the tables, the stories that lose articles, the
    state, its snapshot, and a line in the ledger with the number of articles and the
    kind of rule, but not its value. A new epoch begins: earlier slides cannot be
    computed again.
    """
    rows = named_by(connection, rule.kind, rule.value, shown)
    if not rows:
        return point, WithdrawalReceipt(0, 0)
    texts = texts_of(connection, [row.id for row in rows])
    titles = {text.title for text in texts}
    said = _terms(runner, texts)
    state = _state_without(connection, runner, point.state, rows)
    erase(connection, rows, now, addresses_of)
    affected = _affected(connection, rows, titles)
    after = replace(point, state=state)
    _rewrite_stories(connection, runner, after, affected, _Gone(rows, said))
    forget_unused_sources(connection, {row.source for row in rows if row.source})
    if point.slide:
        epoch = begin_epoch(
            connection, slide=point.slide, at=now, reason=WITHDRAWAL, method=METHOD
        )
        after = replace(after, epoch=epoch.number)
        keep_state(connection, runner, after, now)
    details = {"articles": len(rows), "rule": rule.kind}
    event = EventRow(  # how many articles, but not which
        id=0,
        slide=point.slide,
        at=now,
        kind=EventKind.WITHDRAWN,
        story="",
        details=details,
    )
    write_events(connection, [event])
    lost = {row.story for row in rows if row.story is not None}
    return after, WithdrawalReceipt(len(rows), len(lost))


def _state_without(
    connection: Connection,
    runner: SlideRunner,
    state: State,
    rows: Sequence[ArticleRow],
) -> State:
    inside = {row.id for row in rows if row.id in state.records}
    pairs = [
        pair
        for slide in sorted({row.slide for row in rows if row.id in inside})
        for pair in texts_of_slide(connection, slide)
        if pair[0].id in inside
    ]
    ready = runner.prepared([to_article(row, text) for row, text in pairs])
    left = Counter(r.story for r in rows if r.story and r.id not in inside)
    gone = Withdrawn(articles=ready or [], outside=sorted(left), left=left)
    return runner.engine.without(state, gone)


def _affected(
    connection: Connection, rows: Sequence[ArticleRow], titles: set[str]
) -> dict[str, StoryRow]:
    """Return the stories that may hold something of the articles, by id.

    Stories that had them, stories merged into these, and any with such a headline.
    """
    found: dict[str, StoryRow] = {}
    names = {row.story for row in rows if row.story is not None}
    found |= {row.id: row for row in stories_with_headlines(connection, titles)}
    while names:
        more: set[str] = set()
        for row in stories_merged_into(connection, names):
            more |= set() if row.id in found or row.id in names else {row.id}
            found[row.id] = row
        names = more
    return found


def _rewrite_stories(
    connection: Connection,
    runner: SlideRunner,
    point: Point,
    affected: Mapping[str, StoryRow],
    gone: _Gone,
) -> None:
    """Write the stories again from the articles that are left.

    They count as changed after the last slide: clients have read that slide already.
    """
    state = point.state
    live = {s.id: s for s in live_stories(state, runner.settings) if s.id in affected}
    members = members_of(state)
    for name in sorted(affected):
        row = affected[name]
        end = now_part_of(connection, name)
        heir = name if end is None else end.story.id
        left = articles_of(connection, [heir])[heir]
        words = _terms(runner, texts_of(connection, [row.id for row in left]))
        own = gone.of({name, heir})
        new = _row(row, live.get(name), left, words, own)
        if name in live and state.end is not None:
            heat = heat_of(members[name], state.link, state.end)
            new = replace(new, inside=len(members[name]), heat=heat)
        new = replace(new, changed_slide=point.slide + 1)
        days = _days(connection, runner, state, name, left, words, own)
        forget_parts(connection, name)
        sources = {name: sorted({a.source for a in left if a.source})}
        write_stories(connection, [new], days, sources=sources)


def _terms(runner: SlideRunner, texts: Iterable[RevisionRow]) -> frozenset[str]:
    """Return all terms of some texts."""
    found: set[str] = set()
    for text in texts:
        found |= runner.terms(f"{text.title}\n{text.text or ''}")
    return frozenset(found)


def _row(
    row: StoryRow,
    story: Story | None,
    left: Sequence[ArticleRow],
    words: frozenset[str],
    gone: _Gone,
) -> StoryRow:
    """Return a story's row without anything that came only from withdrawn articles.

    Its dates stay unless a withdrawn article had them: they may be those of an
    article that retention removed.
    """
    lost = sum(each.story == row.id for each in gone.rows)
    dates = [article.published_at for article in left]
    first, last = row.first_seen, row.last_seen
    row = replace(
        with_sources(row, left),
        articles=max(row.articles - lost, len(left)),
        first_seen=min(dates, default=first) if first in gone.dates else first,
        last_seen=max(dates, default=last) if last in gone.dates else last,
    )
    row = _languages_left(row, left, words)
    counts = Counter(article.lang for article in left)
    if story is not None:
        new = replace(
            row,
            headline=story.headline,
            keywords=story.keywords,
            last_seen=story.last_seen,
            sources=story.sources,
            lang=story.lang or row.lang,
        )
        return with_languages(new, counts, story.languages)
    titles = [
        article.title
        for article in left
        if row.lang is None or language_in(article.lang) == language_in(row.lang)
    ]
    headline = row.headline if row.headline in titles else next(iter(titles), "")
    new = replace(
        row,
        headline=headline,
        keywords=tuple(word for word in row.keywords if word in words),
        status="expired" if row.status == "live" else row.status,
        inside=0,
        heat=0.0,
    )
    return with_languages(new, counts)


def _languages_left(
    row: StoryRow, left: Sequence[ArticleRow], words: frozenset[str]
) -> StoryRow:
    """Return a row whose languages are those of the articles that are left."""
    in_languages = []
    for each in row.in_languages:
        language = language_in(each.lang)
        titles = [a.title for a in left if language_in(a.lang) == language]
        if each.headline and titles:
            kept = each.headline if each.headline in titles else titles[0]
            own = tuple(word for word in each.keywords if word in words)
            in_languages.append(asdict(replace(each, headline=kept, keywords=own)))
    return replace(row, languages=tuple(in_languages) or None)


def _days(  # noqa: PLR0913 - what a day is made of
    connection: Connection,
    runner: SlideRunner,
    state: State,
    story: str,
    left: Sequence[ArticleRow],
    words: frozenset[str],
    gone: _Gone,
) -> list[StoryDay]:
    """Return the days of a story; days that lost articles are counted again.

    Other days only lose the words that came from withdrawn articles.
    """
    known = days_of_story(connection, story)
    now = day_keywords([(story, day.day) for day in known], state, runner.settings)
    hidden = gone.terms - words
    found = []
    for day in known:
        own = [row for row in left if day_number(row.published_at) == day.day]
        if day.day not in gone.days:
            kept = tuple(word for word in day.keywords if word not in hidden)
            found.append(replace(day, keywords=kept))
        elif own:
            old = tuple(word for word in day.keywords if word in words)
            day = replace(day, keywords=now.get((story, day.day), old))
            found.append(_counted(day, own))
    return found


def _counted(day: StoryDay, own: Sequence[ArticleRow]) -> StoryDay:
    """Return a day with the counts of its articles."""
    names = [row.id for row in own]
    return replace(
        day,
        articles=len(own),
        sources=independent_sources(own),
        central=day.central if day.central in names else names[0],
    )
