"""Whether true stories keep one id from slide to slide, and how soon they are found."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from statistics import fmean, median

from ustory.core.errors import ConfigError
from ustory.scores.agreement import METRICS, Score, check_protocol, score
from ustory.scores.windows import (
    AssignmentRow,
    Stories,
    Truth,
    by_slide,
    labelled_only,
    refuse_strangers,
)


@dataclass(slots=True)
class Life:
    """The stories that one article was in. Mutable."""

    place: int
    """Its place among the articles, in the order of arrival."""
    arrival: str | None
    """Its story in the slide that brought it."""
    first: str | None
    """The first story it was ever in."""
    last: str | None


@dataclass(slots=True)
class Track:
    """The matches and the detection of one true story. Mutable."""

    began: datetime
    """When its first article was published."""
    articles: list[str] = field(default_factory=list)
    """Its articles in order of arrival, until it is detected."""
    matched: str | None = None
    """The found story that it was last matched with."""
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
        """Take in the window of a slide; a window without changes has no effect."""
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
        """Detect a true story if an arrival joins the story of an earlier article."""
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

        The last match stays while no other story holds more; a tie goes to the story
        whose first article arrived first, whatever its id is.
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


_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuity:
    """Whether true stories keep one id. None: no story was ever matched.

    A true story is matched with the found story that holds most of its articles in the
    window; while no other holds more, the last match stays. It is matched again in
    each slide that adds one of its articles or moves one to another story, and
    switches if the match differs from the last one: the identity
    switch of CLEAR MOT (Bernardin & Stiefelhagen 2008), a slide being a frame and
    a true story an object. Articles that leave the window switch nothing.
    """

    matched: int
    """True stories of two articles or more, at least one ever assigned."""
    switches: int
    switches_per_story: float | None
    unswitched: float | None
    """Share of the matched stories that never switch."""
    fragments_per_story: float | None
    """Found stories that hold the articles of a true story at the end; 1 is best."""
    in_one_piece: float | None
    """Share of the stories with assigned articles that end in one found story."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """How soon true stories are detected. None: there is no story to count.

    A story is detected when, in the slide in which it arrives, an article is in the
    same found story as an article of its true story that arrived earlier.
    """

    stories: int
    """True stories of two articles or more; one article cannot be a story yet."""
    detected: int
    share: float | None
    by_second_article: float | None
    """Share of the stories that are detected when their second article arrives."""
    mean_articles: float | None
    """Articles until detection, the detecting one included; of detected stories."""
    median_articles: float | None
    mean_hours: float | None
    """From the first article's publication to the end of the detecting slide."""
    median_hours: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityReport:
    """What the scores of single windows do not show."""

    protocol: str
    continuity: Continuity
    detection: Detection
    arrival: Score
    """Of each labelled article's story in the slide that brought it."""
    first: Score
    """Of the first story that each labelled article was in."""
    settled: Score
    """Of each labelled article's last story: the score of the whole stream."""
    moved: int
    """Labelled articles that left the first story they were in."""

    def figures(self) -> dict[str, float]:
        """Return every figure under one name; NaN if there is none."""
        scores = {"arrival": self.arrival, "first": self.first, "settled": self.settled}
        found = {
            f"{part}_{name}": float(getattr(scores[part], name))
            for part in scores
            for name in METRICS
        }
        groups = {
            "continuity": asdict(self.continuity),
            "detection": asdict(self.detection),
        }
        for part, group in groups.items():
            for name, value in group.items():
                found[f"{part}_{name}"] = math.nan if value is None else float(value)
        return found


def identity(
    truth: Truth,
    published: Mapping[str, datetime],
    rows: Iterable[AssignmentRow],
    protocol: str = "singleton",
) -> IdentityReport:
    """Return how stories kept their identity, reading one slide at a time.

    `truth` and `rows` are those of `evaluate_assignments`, windows by number
    included; `published` are the publication dates of the articles.
    """
    check_protocol(protocol)
    follower = Follower(truth, published)
    seen = False
    for end, stories in by_slide(rows):
        refuse_strangers(truth, stories, end)
        follower.see(end, stories)
        seen = True
    if not seen:
        raise ConfigError("there are no assignments to score: no row was given")
    return followed(follower, protocol)


def followed(follower: Follower, protocol: str = "singleton") -> IdentityReport:
    """Return the report of a follower that has seen all slides.

    Use it if another pass, such as that of the scores, reads the rows as well.
    """
    articles: defaultdict[str, list[str]] = defaultdict(list)
    for article, story in follower.truth.items():
        articles[story].append(article)
    repeated = {story: held for story, held in articles.items() if len(held) > 1}
    tracks = [follower.tracks[s] for s in repeated if s in follower.tracks]
    nowhere = Life(-1, None, None, None)
    lives = [follower.lives.get(article, nowhere) for article in follower.truth]
    true = list(follower.truth.values())
    return IdentityReport(
        protocol=protocol,
        continuity=_continuity(tracks, _settled(follower, repeated.values())),
        detection=_detection(len(repeated), tracks),
        arrival=score(true, [life.arrival for life in lives], protocol),
        first=score(true, [life.first for life in lives], protocol),
        settled=score(true, [life.last for life in lives], protocol),
        moved=sum(life.first != life.last for life in lives),
    )


def _settled(follower: Follower, stories: Iterable[Sequence[str]]) -> list[int]:
    """Return how many found stories hold each true one at the end; 0 is left out."""
    lives = follower.lives
    found = [{lives[each].last for each in held if each in lives} for held in stories]
    pieces = [len(ids - {None}) for ids in found]
    return [number for number in pieces if number]


def _continuity(tracks: Iterable[Track], pieces: Sequence[int]) -> Continuity:
    switches = [track.switches for track in tracks if track.matched is not None]
    return Continuity(
        matched=len(switches),
        switches=sum(switches),
        switches_per_story=_mean(switches),
        unswitched=_mean([not number for number in switches]),
        fragments_per_story=_mean(pieces),
        in_one_piece=_mean([number == 1 for number in pieces]),
    )


def _detection(stories: int, tracks: Iterable[Track]) -> Detection:
    counts: list[int] = []
    hours: list[float] = []
    for track in tracks:
        if track.detected_after is not None and track.waited is not None:
            counts.append(track.detected_after)
            hours.append(track.waited / _HOUR)
    return Detection(
        stories=stories,
        detected=len(counts),
        share=len(counts) / stories if stories else None,
        by_second_article=counts.count(2) / stories if stories else None,
        mean_articles=_mean(counts),
        median_articles=float(median(counts)) if counts else None,
        mean_hours=_mean(hours),
        median_hours=float(median(hours)) if hours else None,
    )


def _mean(numbers: Sequence[float]) -> float | None:
    return fmean(numbers) if numbers else None
