"""The archive corrected in one transaction by slides that were computed again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from ustory.core.method import METHOD
from ustory.core.story import EventKind
from ustory.engine.state import State
from ustory.engine.state_changes import renamed
from ustory.service.recompute import Recomputation, heirs, same_stories
from ustory.store import Connection
from ustory.store.articles import articles_by_id, put_aside
from ustory.store.epochs import begin_epoch
from ustory.store.languages import forget_languages, write_languages
from ustory.store.listing import all_live, stories_by_id
from ustory.store.results import (
    articles_of,
    days_of,
    decide_again,
    forget_days,
    forget_sources,
    newest_decisions,
    places_of,
    restate_slide,
    write_events,
    write_stories,
)
from ustory.store.tables import (
    ArticleRow,
    DecisionRow,
    Epoch,
    EventRow,
    SlideRow,
    StoryDay,
    StoryRow,
)
from ustory.stories.language_rows import with_languages
from ustory.stories.rows import (
    Day,
    day_number,
    independent_sources,
    with_sources,
)

_PUBLIC_FIELDS = (
    *("status", "merged_into", "headline", "keywords", "articles", "languages"),
)
"""Fields whose change is reported to clients that follow changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The result of a correction."""

    state: State
    """The state after the last slide, with the ids of the archive."""
    epoch: Epoch
    moved: int
    """Articles that are now in another story, or in none."""
    kept: int
    """Stories that kept their ids."""
    new: int
    """New stories."""
    redirected: int
    """Stories that now redirect to another one."""


def adopt(
    connection: Connection,
    again: Recomputation,
    *,
    slide: SlideRow,
    at: datetime,
    reason: str,
) -> Corrected:
    """Write the slides that were computed again, up to the last one, into the archive.

    A story keeps its id if most articles agree; other old stories redirect to the
    story that now has most of their articles. An epoch begins, the ledger lists the
    changes, and the decisions belong to that slide. The caller stores the returned
    state as its snapshot.
    """
    epoch = begin_epoch(
        connection, slide=slide.number, at=at, reason=reason, method=METHOD
    )
    put_aside(connection, again.aside)
    with again.side.read() as side:
        return _Adoption(connection, side, again, slide).write(epoch)


@dataclass(slots=True)
class _Adoption:
    """The correction of one archive. Mutable; it lives as long as its transaction."""

    connection: Connection
    side: Connection
    again: Recomputation
    slide: SlideRow
    before: dict[str, str | None] = field(default_factory=dict)
    after: dict[str, str | None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def write(self, epoch: Epoch) -> Corrected:
        forget_languages(self.connection, self.again.start.slide)
        write_languages(self.connection, self.again.languages)
        self._match()
        moved = [a for a in sorted(self.after) if self.before[a] != self.after[a]]
        old = self._old_rows(moved)
        ends = self._ends(old)
        self._decide(moved)
        rows = self._rows(old, moved, ends)
        self._write_stories(rows)
        self._write_days(moved)
        write_events(self.connection, list(self._events(moved, old, ends)))
        restate_slide(self.connection, self.slide.number)
        totals = {name: row.articles for name, row in (old | rows).items()}
        return Corrected(
            state=renamed(self.again.state, self.names, totals),
            epoch=epoch,
            moved=len(moved),
            kept=len(set(self.names.values()) & old.keys()),
            new=len(rows.keys() - old.keys()),
            redirected=sum(into is not None for into in ends.values()),
        )

    def _match(self) -> None:
        """Find the old and new story of each article, and the ids of new stories."""
        start = self.again.start
        here = places_of(self.connection, 0 if start.continued else start.slide)
        there = {a: s for a, s in self.again.places().items() if a in here}
        self.before = {a: here[a] for a in there}
        old = {a: s for a, s in self.before.items() if s is not None}
        new = {a: s for a, s in there.items() if s is not None}
        if start.continued:
            # stories that the start had keep their ids, whichever articles they have
            both = set(stories_by_id(self.connection, sorted(set(new.values()))))
            self.names = {story: story for story in sorted(both)}
            old = {a: s for a, s in old.items() if s not in both}
            new = {a: s for a, s in new.items() if s not in both}
        self.names |= same_stories(old, new)
        self.after = {
            a: None if s is None else self.names.get(s, s) for a, s in there.items()
        }

    def _old_rows(self, moved: Iterable[str]) -> dict[str, StoryRow]:
        """Return the old rows of all stories that may change."""
        named = {self.before[a] for a in moved} | {self.after[a] for a in moved}
        named |= {self.names.get(s, s) for s in self.again.state.stories}
        wanted = sorted(name for name in named if name is not None)
        live = {row.id: row for row in all_live(self.connection)}
        return live | dict(stories_by_id(self.connection, wanted))

    def _ends(self, old: Mapping[str, StoryRow]) -> dict[str, str | None]:
        """Return the stories that end, each with the one that it redirects to."""
        live = {self.names.get(s, s) for s in self.again.state.stories}
        here = {a: s for a, s in self.before.items() if s is not None}
        there = {a: s for a, s in self.after.items() if s is not None}
        lost = set(here.values()) - set(there.values())
        for story, rest in articles_of(self.connection, sorted(lost)).items():
            if any(article.id not in self.after for article in rest):
                lost.discard(story)  # articles that were not computed again stay
        into = heirs(here, there)
        found: dict[str, str | None] = {}
        for story, row in sorted(old.items()):
            if row.status == "merged" or story in live:
                continue
            if story in lost:
                found[story] = into.get(story)
            elif row.status == "live":
                found[story] = None
        return found

    def _decide(self, moved: list[str]) -> None:
        decided = newest_decisions(self.side, moved)
        rows = []
        for article in moved:
            record = dict(decided[article].record) if article in decided else {}
            for name in ("story", "best", "runner_up"):
                if record.get(name) is not None:
                    record[name] = self.names.get(record[name], record[name])
            rows.append(
                DecisionRow(
                    article=article,
                    slide=self.slide.number,
                    story=self.after[article],
                    record=record,
                )
            )
        decide_again(self.connection, rows)

    def _rows(
        self,
        old: Mapping[str, StoryRow],
        moved: Iterable[str],
        ends: Mapping[str, str | None],
    ) -> dict[str, StoryRow]:
        """Return the rows to write."""
        change: Counter[str] = Counter()
        for article in moved:
            change.update({self.before[article] or "": -1})
            change.update({self.after[article] or "": 1})
        change.pop("", None)
        sides = self._side_rows({*change, *old} - ends.keys())
        found = articles_of(self.connection, sorted({*change, *sides}))
        rows = {}
        for story in sorted({*change, *sides, *ends}):
            known = old.get(story)
            row = sides.get(story) or known
            if row is None:
                continue
            if story in ends:
                row = _ended(row, ends[story])
            row = _continued(row, known, change[story])
            row = _seen(row, found.get(story, []), known)
            if known is None or _public(row) != _public(known):
                rows[story] = replace(row, changed_slide=self.slide.number + 1)
        return rows

    def _side_rows(self, wanted: Iterable[str]) -> dict[str, StoryRow]:
        """Return the rows of computed stories, under their ids in the archive."""
        called = {name: story for story, name in self.names.items()}
        asked = sorted({called.get(name, name) for name in wanted})
        return {
            self.names.get(name, name): replace(row, id=self.names.get(name, name))
            for name, row in stories_by_id(self.side, asked).items()
            if row.status != "merged"
        }

    def _write_stories(self, rows: Mapping[str, StoryRow]) -> None:
        found = articles_of(self.connection, sorted(rows))
        sources = {
            story: sorted({a.source for a in some if a.source})
            for story, some in found.items()
        }
        # if retention removed articles of a story, their sources are not known
        whole = {s: sources[s] for s in rows if rows[s].articles <= len(found[s])}
        forget_sources(self.connection, whole)
        write_stories(
            self.connection, [rows[story] for story in sorted(rows)], sources=sources
        )

    def _write_days(self, moved: Collection[str]) -> None:
        """Count the days that gained or lost an article."""
        touched: set[Day] = set()
        for article, row in articles_by_id(self.connection, moved).items():
            day = day_number(row.published_at)
            both = (self.before[article], self.after[article])
            touched |= {(story, day) for story in both if story is not None}
        stories = sorted({story for story, _ in touched})
        called = {name: story for story, name in self.names.items()}
        known = days_of(self.connection, stories)
        asked = [called.get(story, story) for story in stories]
        computed = {
            (self.names.get(story, story), day): row
            for (story, day), row in days_of(self.side, asked).items()
        }
        counted: dict[Day, list[ArticleRow]] = defaultdict(list)
        for story, some in articles_of(self.connection, stories).items():
            for each in some:
                counted[story, day_number(each.published_at)].append(each)
        forget_days(self.connection, sorted(touched - counted.keys()))
        days = [
            _day((story, day), counted[story, day], computed, known)
            for story, day in sorted(touched & counted.keys())
        ]
        write_stories(self.connection, [], days)

    def _events(
        self,
        moved: Iterable[str],
        old: Mapping[str, StoryRow],
        ends: Mapping[str, str | None],
    ) -> Iterator[EventRow]:
        """Yield the changes as events of the kinds that slides have."""
        groups: dict[tuple[str, str], list[str]] = defaultdict(list)
        for article in moved:
            was, now = self.before[article] or "", self.after[article] or ""
            groups[was, now].append(article)
        born: dict[str, list[str]] = defaultdict(list)
        for (_, now), some in groups.items():
            born[now] += some
        for story in sorted(born.keys() - old.keys() - {""}):
            yield self._event(EventKind.BORN, story, born[story])
        for (was, now), some in sorted(groups.items()):
            if was and ends.get(was) != now:
                yield self._left(was, now, some)
            elif now in old and not was:
                yield self._event(EventKind.GREW, now, some)
        for story, into in sorted(ends.items()):
            yield self._end(story, into, groups[story, into or ""])

    def _end(self, story: str, into: str | None, some: Iterable[str]) -> EventRow:
        """Return the event of a story that ends."""
        if into is None:
            return self._event(EventKind.EXPIRED, story, ())
        return self._event(EventKind.MERGED, story, some, {"into": into})

    def _left(self, was: str, now: str, some: Iterable[str]) -> EventRow:
        """Return the event of articles that leave a story."""
        if now:
            return self._event(EventKind.MOVED, now, some, {"from": was})
        return self._event(EventKind.RELEASED, was, some)

    def _event(
        self,
        kind: EventKind,
        story: str,
        some: Iterable[str],
        details: Mapping[str, str] | None = None,
    ) -> EventRow:
        return EventRow(
            id=0,
            slide=self.slide.number,
            at=self.slide.end,
            kind=kind,
            story=story,
            articles=tuple(sorted(some)),
            details=dict(details or {}),
        )


def _public(row: StoryRow) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in _PUBLIC_FIELDS)


def _continued(row: StoryRow, known: StoryRow | None, change: int) -> StoryRow:
    """Return a row with the history of the old story of that id."""
    if known is None:
        return replace(row, articles=change, split_from=None)
    if row.status == "merged":
        return row
    return replace(
        row,
        born_at=known.born_at,
        born_slide=known.born_slide,
        split_from=known.split_from,
        articles=max(known.articles + change, 0),
    )


def _ended(row: StoryRow, into: str | None) -> StoryRow:
    status = "expired" if into is None else "merged"
    return replace(row, status=status, merged_into=into, inside=0, heat=0.0)


def _seen(
    row: StoryRow, articles: list[ArticleRow], known: StoryRow | None
) -> StoryRow:
    """Return a row with the dates, language and sources of its articles."""
    if not articles:
        return row
    dates = [article.published_at for article in articles]
    first = min(dates)
    if known is not None and row.articles > len(articles):
        first = min(first, known.first_seen)  # retention removed articles
    dated = replace(row, first_seen=first, last_seen=max(dates))
    found = with_sources(dated, articles)
    # the headline is in the language that was found when it was chosen
    found = replace(found, lang=row.lang or found.lang)
    return with_languages(found, Counter(article.lang for article in articles))


def _day(
    which: Day,
    articles: list[ArticleRow],
    computed: Mapping[Day, StoryDay],
    known: Mapping[Day, StoryDay],
) -> StoryDay:
    """Return a day with the keywords computed now, or else the stored ones."""
    before = computed.get(which) or known.get(which)
    return StoryDay(
        story=which[0],
        day=which[1],
        articles=len(articles),
        sources=independent_sources(articles),
        keywords=() if before is None else before.keywords,
        central=articles[0].id if before is None else before.central,
    )
