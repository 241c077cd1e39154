"""Articles withdrawn from the archive: from its tables, its stories and its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, delete, or_, select

from ustory.core.errors import InputError
from ustory.core.method import METHOD
from ustory.core.story import Story
from ustory.engine.state import State
from ustory.engine.stories import live_stories
from ustory.engine.withdraw import Withdrawn
from ustory.live.days import day_keywords, day_number, with_sources
from ustory.live.days import independent_sources as independent
from ustory.live.known import addresses_of
from ustory.live.origins import shown
from ustory.live.portraits import heat_of, members_of
from ustory.live.recovery import Point, to_article
from ustory.live.resume import keep_state
from ustory.live.telling import Teller
from ustory.store.articles import texts_of_slide
from ustory.store.epochs import WITHDRAWAL, begin_epoch
from ustory.store.mapping import chunks, load_all
from ustory.store.results import write_events, write_stories
from ustory.store.rows import ArticleRow, EventRow, StoryDay, StoryRow
from ustory.store.schema import articles, stories, story_days, story_sources
from ustory.store.withdraw import erase, named_by, texts_of

EVENT = "withdrawn"
"""The kind of the event that says that something was withdrawn, and not what."""

RULES = ("article", "source", "origin", "text")


@dataclass(frozen=True, slots=True)
class Rule:
    """Which articles are meant: one, those of a source or an origin, or of a text."""

    kind: str
    value: str

    def __post_init__(self) -> None:
        """Refuse a rule that would mean nothing, or everything."""
        if self.kind not in RULES or not self.value.strip():
            raise InputError(
                "withdrawal-rule",
                f"a withdrawal names an article, a source, an origin or a text that is "
                f"not blank; got {self.kind!r} {self.value!r}",
                file="withdrawal",
                line=0,
            )


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a withdrawal did."""

    articles: int
    stories: int
    """Stories that lost articles."""


def withdraw(
    connection: Connection, teller: Teller, point: Point, rule: Rule, now: datetime
) -> tuple[Point, Receipt]:
    """Take the articles of a rule out of the archive, and return where it stands.

    All in the transaction that is given: the tables, the stories that lose articles,
    the state, its snapshot, and a line in the ledger that says how many were
    withdrawn by which kind of rule, and not what. A new epoch begins: slides before
    it cannot be computed again.
    """
    rows = named_by(connection, rule.kind, rule.value, shown)
    if not rows:
        return point, Receipt(0, 0)
    titles = {text.title for text in texts_of(connection, [row.id for row in rows])}
    state = _state_without(connection, teller, point.state, rows)
    erase(connection, rows, now, addresses_of)
    affected = _affected(connection, rows, titles)
    _tell_again(connection, teller, state, affected, rows)
    after = replace(point, state=state)
    if point.slide:
        epoch = begin_epoch(
            connection, slide=point.slide, at=now, reason=WITHDRAWAL, method=METHOD
        )
        after = replace(after, epoch=epoch.number)
        keep_state(connection, teller, after, now)
    details = {"articles": len(rows), "rule": rule.kind}
    event = EventRow(
        id=0, slide=point.slide, at=now, kind=EVENT, story="", details=details
    )
    write_events(connection, [event])
    lost = {row.story for row in rows if row.story is not None}
    return after, Receipt(len(rows), len(lost))


def _state_without(
    connection: Connection, teller: Teller, state: State, rows: Sequence[ArticleRow]
) -> State:
    inside = {row.id for row in rows if row.id in state.records}
    pairs = [
        pair
        for slide in sorted({row.slide for row in rows if row.id in inside})
        for pair in texts_of_slide(connection, slide)
        if pair[0].id in inside
    ]
    ready = teller.prepared([to_article(row, text) for row, text in pairs])
    left = Counter(r.story for r in rows if r.story and r.id not in inside)
    gone = Withdrawn(articles=ready or [], outside=sorted(left), left=left)
    return teller.engine.without(state, gone)


def _affected(
    connection: Connection, rows: Sequence[ArticleRow], titles: set[str]
) -> dict[str, StoryRow]:
    """Return the stories that may say something of the articles, by id.

    Those that had them, those that merged into these, and any with such a headline.
    """
    found: dict[str, StoryRow] = {}
    names = {row.story for row in rows if row.story is not None}
    for some in chunks(sorted(titles)):
        query = select(stories).where(stories.c.headline.in_(some))
        found |= {row.id: row for row in load_all(connection, query, StoryRow)}
    while names:
        more: set[str] = set()
        for some in chunks(sorted(names)):
            here = or_(stories.c.id.in_(some), stories.c.merged_into.in_(some))
            for row in load_all(connection, select(stories).where(here), StoryRow):
                more |= set() if row.id in found or row.id in names else {row.id}
                found[row.id] = row
        names = more
    return found


def _tell_again(
    connection: Connection,
    teller: Teller,
    state: State,
    affected: Mapping[str, StoryRow],
    gone: Sequence[ArticleRow],
) -> None:
    """Write stories anew, of the articles that are left."""
    live = {s.id: s for s in live_stories(state, teller.settings) if s.id in affected}
    lost = Counter(row.story for row in gone)
    members = members_of(state)
    for name in sorted(affected):
        row = affected[name]
        heir = row.merged_into or name
        query = select(articles).where(articles.c.story == heir)
        left = load_all(connection, query.order_by(articles.c.seq), ArticleRow)
        words = _words(connection, teller, left)
        new = _row(row, live.get(name), left, words, lost[name])
        if name in live and state.end is not None:
            heat = heat_of(members[name], state.link, state.end)
            new = replace(new, inside=len(members[name]), heat=heat)
        days = _days(connection, teller, state, name, left, words)
        connection.execute(delete(story_days).where(story_days.c.story == name))
        connection.execute(delete(story_sources).where(story_sources.c.story == name))
        sources = {name: sorted({a.source for a in left if a.source})}
        write_stories(connection, [new], days, sources=sources)


def _words(
    connection: Connection, teller: Teller, left: Sequence[ArticleRow]
) -> frozenset[str]:
    """Return all terms of the articles that a story has left."""
    found: set[str] = set()
    for text in texts_of(connection, [row.id for row in left]):
        found |= teller.terms(f"{text.title}\n{text.text or ''}")
    return frozenset(found)


def _row(
    row: StoryRow,
    story: Story | None,
    left: Sequence[ArticleRow],
    words: frozenset[str],
    lost: int,
) -> StoryRow:
    """Return a story's row with nothing in it that only the articles gone had said."""
    row = replace(with_sources(row, left), articles=max(row.articles - lost, len(left)))
    if story is not None:
        return replace(
            row,
            headline=story.headline,
            keywords=story.keywords,
            first_seen=story.first_seen if lost else row.first_seen,
            last_seen=story.last_seen,
            sources=story.sources,
        )
    titles = [article.title for article in left]
    headline = row.headline if row.headline in titles else next(iter(titles), "")
    dates = [article.published_at for article in left]
    return replace(
        row,
        headline=headline,
        keywords=tuple(word for word in row.keywords if word in words),
        status="expired" if row.status == "live" else row.status,
        inside=0,
        heat=0.0,
        first_seen=min(dates, default=row.first_seen),
        last_seen=max(dates, default=row.last_seen),
    )


def _days(
    connection: Connection,
    teller: Teller,
    state: State,
    story: str,
    left: Sequence[ArticleRow],
    words: frozenset[str],
) -> list[StoryDay]:
    """Return the days of a story, counted over the articles that are left."""
    query = select(story_days).where(story_days.c.story == story)
    known = load_all(connection, query, StoryDay)
    now = day_keywords([(story, day.day) for day in known], state, teller.settings)
    found = []
    for day in known:
        own = [row for row in left if day_number(row.published_at) == day.day]
        if not own:
            continue
        old = tuple(word for word in day.keywords if word in words)
        names = [row.id for row in own]
        found.append(
            replace(
                day,
                articles=len(own),
                sources=independent(own),
                keywords=now.get((story, day.day), old),
                central=day.central if day.central in names else names[0],
            )
        )
    return found
