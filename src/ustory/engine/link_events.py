"""What became of the stories between two slides, as events that can be read back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ustory.core.story import Event, EventKind
from ustory.links.state import LinkState
from ustory.window.panes import day_of
from ustory.window.summary import StorySummary


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryChanges:
    """The stories of articles before and after a slide."""

    at: datetime
    before: Mapping[str, str]
    """Story of each article of the last window, those that left it included."""
    after: Mapping[str, str]
    arrived: frozenset[str]
    """Articles that had no story before."""
    moved: Mapping[str, str]
    """Articles that have another story than before: the one they left."""
    released: Mapping[str, str]
    """Articles in the window that have no story any more: the one they left."""
    changed: frozenset[str]
    """Stories that gained or lost articles, other than by age."""
    gone: Mapping[str, str | None]
    """Stories that are no more, and the one that most of what was left went to."""
    fresh: frozenset[str] = field(default_factory=frozenset)
    """Stories that were not there before."""
    slept: Mapping[str, float] = field(default_factory=dict)
    """Of those, the ones that had been there long ago: days since they were seen."""
    past: Mapping[str, int] = field(default_factory=dict)
    """And the articles they had then."""
    corrected: frozenset[str] = frozenset()
    """Articles of the window whose text is another now."""

    @classmethod
    def between(
        cls,
        before: Mapping[str, str],
        link: LinkState,
        at: datetime,
        corrected: Collection[str] = (),
    ) -> StoryChanges:
        """Return what changed from the stories `before` to those of `link`."""
        after, old = link.story, link.archive.profiles
        moved = {a: before[a] for a, s in after.items() if before.get(a, s) != s}
        arrived = frozenset(a for a in after if a not in before)
        released = {
            a: s for a, s in before.items() if a in link.articles and a not in after
        }
        live, was = set(after.values()), set(before.values())
        changed = {after[a] for a in (*moved, *arrived)}
        changed |= {*moved.values(), *released.values()}
        changed |= {after[a] for a in corrected if a in after}
        went: dict[str, Counter[str]] = defaultdict(Counter)
        for article, story in moved.items():
            went[story][after[article]] += 1
        gone = {story: _most(went[story]) for story in sorted(was - live)}
        return cls(
            at=at,
            before=before,
            after=after,
            arrived=arrived,
            moved=moved,
            released=released,
            changed=frozenset(changed),
            gone=gone,
            fresh=frozenset(live - was),
            slept={s: day_of(at) - old[s].last for s in sorted(live - was) if s in old},
            past={s: old[s].articles for s in sorted(live - was) if s in old},
            corrected=frozenset(corrected),
        )

    def totals(
        self, stories: Iterable[str], known: Mapping[str, StorySummary]
    ) -> dict[str, int]:
        """Return how many articles stories ever had; `known` is the last summaries.

        A story that took in another has that one's as well.
        """
        came = Counter(self.after[a] for a in (*self.arrived, *self.moved))
        lost = Counter((*self.moved.values(), *self.released.values()))
        past: Counter[str] = Counter()
        for gone, into in self.gone.items():
            if into is not None and gone in known:
                past[into] += known[gone].total - lost[gone]
        found = {}
        for story in stories:
            own = known[story].total if story in known else self.past.get(story, 0)
            found[story] = own + came[story] - lost[story] + past[story]
        return found


def _most(went: Counter[str]) -> str | None:
    """Return the story that most articles went to; of equals the first by id."""
    return min(went, key=lambda each: (-went[each], each)) if went else None


def events_of(changes: StoryChanges) -> tuple[Event, ...]:
    """Return what happened: what ended, what changed places, what was gained.

    In this order a reader who keeps count is never wrong: articles leave a story
    before it is merged, and new ones come last.
    """
    return (
        *(
            Event(kind=EventKind.EXPIRED, story=story, at=changes.at)
            for story, into in changes.gone.items()
            if into is None
        ),
        *_splits(changes),
        *_moves(changes),
        *_releases(changes),
        *_mergers(changes),
        *_gains(changes),
    )


def _splits(changes: StoryChanges) -> Iterator[Event]:
    """Yield the stories made of articles that had another."""
    for story, articles in _by(changes.after, changes.moved):
        if story in changes.fresh:
            came = Counter(changes.moved[article] for article in articles)
            origin = _most(came) or ""
            yield _event(EventKind.SPLIT, story, changes.at, articles, {"from": origin})


def _moves(changes: StoryChanges) -> Iterator[Event]:
    """Yield the articles that went to a story that was already there.

    Those that go with most of a story that ends are reported as merged, and those
    that went with most of another to a new story as split.
    """
    for origin, articles in _by(changes.moved, changes.moved):
        for story, went in _by(changes.after, articles):
            if changes.gone.get(origin) != story and story not in changes.fresh:
                yield _event(EventKind.MOVED, story, changes.at, went, {"from": origin})


def _releases(changes: StoryChanges) -> Iterator[Event]:
    """Yield the articles that a story lost to none."""
    for story, articles in _by(changes.released, changes.released):
        yield _event(EventKind.RELEASED, story, changes.at, articles, {})


def _mergers(changes: StoryChanges) -> Iterator[Event]:
    """Yield the stories that are now part of another."""
    moved = dict(_by(changes.moved, changes.moved))
    for story, into in changes.gone.items():
        if into is not None:
            went = [
                article for article in moved[story] if changes.after[article] == into
            ]
            yield _event(EventKind.MERGED, story, changes.at, went, {"into": into})


def _gains(changes: StoryChanges) -> Iterator[Event]:
    """Yield births, revivals, then growth, by articles that had no story."""
    found = _by(changes.after, changes.arrived)
    split = {changes.after[article] for article in changes.moved}
    kind = {}
    for story, _ in found:
        born = story in changes.fresh and story not in split
        kind[story] = EventKind.BORN if born else EventKind.GREW
        if born and story in changes.slept:
            kind[story] = EventKind.REVIVED
    for each in (EventKind.BORN, EventKind.REVIVED, EventKind.GREW):
        for story, articles in found:
            if kind[story] == each:
                days = changes.slept.get(story, 0.0)
                details = {"days": round(days, 2)} if each is EventKind.REVIVED else {}
                yield _event(each, story, changes.at, articles, details)


def _by(
    story: Mapping[str, str], articles: Iterable[str]
) -> list[tuple[str, list[str]]]:
    """Return some articles by their story, both in order of id."""
    found: dict[str, list[str]] = {}
    for article in sorted(articles):
        found.setdefault(story[article], []).append(article)
    return sorted(found.items())


def _event(
    kind: EventKind,
    story: str,
    at: datetime,
    articles: Sequence[str],
    details: Mapping[str, str | float],
) -> Event:
    return Event(
        kind=kind, story=story, at=at, articles=tuple(articles), details=details
    )
