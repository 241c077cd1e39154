"""Follows each true story from slide to slide through what a run made of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ustory.core.errors import ConfigError
from ustory.scores.slides import Stories
from ustory.scores.truth import Truth, labelled_only


@dataclass(slots=True)
class Life:
    """Where one article has been; it changes as slides go by."""

    place: int
    """Its place among the articles, in the order of arrival."""
    arrival: str | None
    """Its story in the slide that brought it."""
    first: str | None
    """The first story it was ever in."""
    last: str | None


@dataclass(slots=True)
class Track:
    """What became of one true story; it changes as slides go by."""

    began: datetime
    """When its first article was published."""
    articles: list[str] = field(default_factory=list)
    """What has arrived of it, in order, as long as it is not detected."""
    matched: str | None = None
    """The found story that it last went by."""
    switches: int = 0
    detected_after: int | None = None
    """Articles that had arrived when it was detected, the detecting one included."""
    waited: timedelta | None = None
    """From `began` to the end of the slide in which it was detected."""


class Follower:
    """Watches a run, one slide at a time; `see` may be a `watch` of an evaluation.

    Articles arrive in the order of slides, and within a slide in that of
    publication (by id at the same moment). One without a date counts as published
    when its slide ended.
    """

    def __init__(self, truth: Truth, published: Mapping[str, datetime]) -> None:
        self.truth = labelled_only(truth)
        self.lives: dict[str, Life] = {}
        self.tracks: dict[str, Track] = {}
        self._published = published

    def see(self, end: datetime, stories: Stories) -> None:
        """Take in the window of a slide; one without a change counts for nothing."""
        arrived, changed = [], []
        for article, story in stories.items():
            life = self.lives.get(article)
            if life is None:
                if article in self.truth:
                    arrived.append(article)
            elif life.last != story:
                changed.append(article)
                life.last = story
                life.first = life.first if life.first is not None else story
        arrived.sort(key=lambda article: (self._date(article, end), article))
        for article in arrived:
            story = stories[article]
            self.lives[article] = Life(len(self.lives), story, story, story)
        self._detect(arrived, end)
        self._match({self.truth[article] for article in (*changed, *arrived)}, stories)

    def _date(self, article: str, end: datetime) -> datetime:
        date = self._published.get(article, end)
        if date.tzinfo is None:
            raise ConfigError(
                f"publication dates must carry a time zone; got {date.isoformat()} for "
                f"article {article!r}: give it in UTC, with tzinfo=UTC"
            )
        return date

    def _detect(self, arrived: Iterable[str], end: datetime) -> None:
        """Detect the stories of which an arrival is where an earlier article is."""
        known: dict[str, set[str | None]] = {}
        for article in arrived:
            true = self.truth[article]
            if true not in self.tracks:
                self.tracks[true] = Track(self._date(article, end))
            track = self.tracks[true]
            if track.detected_after is not None:
                continue
            if true not in known:
                known[true] = {self.lives[each].last for each in track.articles}
            story = self.lives[article].last
            track.articles.append(article)
            if story is not None and story in known[true]:
                track.detected_after = len(track.articles)
                track.waited = max(end - track.began, timedelta(0))
                track.articles.clear()
            known[true].add(story)

    def _match(self, touched: set[str], stories: Stories) -> None:
        """Match true stories with the found story that holds most of their articles.

        The one they went by stays as long as no other holds more; among equals, the
        one whose first article arrived first is taken, whatever it is called.
        """
        held: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        for article, story in stories.items():
            true = self.truth.get(article)
            if story is not None and true is not None and true in touched:
                held[true].append((self.lives[article].place, story))
        for true, places in held.items():
            track = self.tracks[true]
            counts = Counter(story for _, story in places)
            most = max(counts.values())
            if track.matched is None or counts[track.matched] < most:
                track.switches += track.matched is not None
                _, track.matched = min(p for p in places if counts[p[1]] == most)
