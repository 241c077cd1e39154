"""Scores of a run against its labels, window by window."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from ustory.core.errors import ConfigError
from ustory.core.spans import EPOCH, format_span
from ustory.scores.agreement import (
    METRICS,
    MetricValues,
    Score,
    check_protocol,
    mean_metrics,
    score,
)

Stories: TypeAlias = Mapping[str, str | None]
"""The story of each article in a window, None for an unassigned one."""


class AssignmentRow(NamedTuple):
    """The story of one article at the end of one slide."""

    slide_end: datetime
    article: str
    story: str | None


def on_calendar(end: datetime, slide: timedelta) -> bool:
    """Say whether a slide ends a whole number of slides after the epoch, in UTC."""
    return (end - EPOCH) % slide == timedelta(0)


def walk(
    rows: Iterable[AssignmentRow], window: timedelta, slide: timedelta
) -> Iterator[tuple[datetime, Stories]]:
    """Yield each window that has rows, and the calendar windows between them.

    The rows of a slide are all the articles of its window. A slide without rows
    brought nothing new: its window is the one before, less the articles first
    seen W or longer ago. Nothing is yielded for a window that has run empty.
    """
    stories: Stories = {}
    first_seen: dict[str, datetime] = {}
    before: datetime | None = None
    for end, listed in by_slide(rows):
        if before is not None:
            for quiet in _calendar_between(before, end, slide):
                stories = _still_inside(stories, first_seen, quiet, window)
                if not stories:
                    break
                yield quiet, stories
        first_seen = {article: first_seen.get(article, end) for article in listed}
        stories, before = listed, end
        yield end, listed


def by_slide(rows: Iterable[AssignmentRow]) -> Iterator[tuple[datetime, Stories]]:
    """Yield the rows of one slide at a time, checked; none for quiet slides."""
    before: datetime | None = None
    for given, group in groupby(rows, key=itemgetter(0)):
        end = _in_utc(given)
        if before is not None and end <= before:
            raise ConfigError(
                "assignments must be grouped by slide, oldest first; got a slide "
                f"ending {end.isoformat()} after one ending {before.isoformat()}: "
                "sort the rows by slide_end"
            )
        yield end, _listed(end, group)
        before = end


def _still_inside(
    stories: Stories,
    first_seen: Mapping[str, datetime],
    end: datetime,
    window: timedelta,
) -> Stories:
    return {a: story for a, story in stories.items() if end - first_seen[a] < window}


def _listed(end: datetime, rows: Iterable[AssignmentRow]) -> Stories:
    stories: dict[str, str | None] = {}
    for _, article, story in rows:
        if article in stories:
            raise ConfigError(
                f"an article has one story at a time; article {article!r} is listed "
                f"twice in the slide ending {end.isoformat()}: keep one of the rows"
            )
        stories[article] = story
    return stories


def _calendar_between(
    after: datetime, before: datetime, slide: timedelta
) -> Iterator[datetime]:
    following = (after - EPOCH) // slide + 1
    reached = -((EPOCH - before) // slide)  # rounded up: `before` is not between
    for number in range(following, reached):
        yield EPOCH + number * slide


def _in_utc(end: datetime) -> datetime:
    if end.tzinfo is None:
        raise ConfigError(
            f"slide ends must carry a time zone; got {end.isoformat()}: "
            "write it in UTC, with +00:00 at its end"
        )
    return end.astimezone(UTC)


Truth: TypeAlias = Mapping[str, str | None]
"""The true story of each article of a stream, None without a label."""


def labelled_only(truth: Truth) -> dict[str, str]:
    """Return the articles that have a true story; refuse a stream without any."""
    labelled = {article: story for article, story in truth.items() if story is not None}
    if not labelled:
        raise ConfigError(
            "no article of the stream has a true story; scores need a labelled stream"
        )
    return labelled


def refuse_strangers(truth: Truth, stories: Stories, end: datetime) -> None:
    """Raise ConfigError if an article is assigned that the stream does not have."""
    strangers = stories.keys() - truth.keys()
    if strangers:
        raise ConfigError(
            f"the stream has no article {min(strangers)!r}, which is assigned in the "
            f"slide ending {end.isoformat()}; score assignments against the stream "
            "they were made from"
        )


_UNITS = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1))


def of_window(
    rows: Iterable[AssignmentRow],
    dates: Mapping[str, datetime],
    window: timedelta,
    slide: timedelta,
) -> Iterator[AssignmentRow]:
    """Yield the rows; at their end, raise ConfigError if `window` was not the run's.

    An article is listed while it is younger than the window, so every listed article
    gives a lower bound of the window, and every article no longer listed an upper
    bound. `dates` are the publication dates; articles without one are ignored.
    """
    listed_for, gone_by, timely = timedelta(0), timedelta.max, False
    before: set[str] = set()
    for end, group in groupby(rows, key=lambda row: row.slide_end):
        now: set[str] = set()
        for row in group:
            now.add(row.article)
            yield row
        listed_for = max([listed_for, *_ages(now, dates, end)])
        gone_by = min([gone_by, *_ages(before - now, dates, end)])
        before, timely = now, timely or on_calendar(end, slide)
    # Windows that never end on the calendar are reported by `evaluate_assignments`.
    if timely and not listed_for <= window < gone_by:
        raise _other_window(window, _likely(listed_for, gone_by, slide))


def _ages(
    articles: Iterable[str], dates: Mapping[str, datetime], end: datetime
) -> Iterator[timedelta]:
    return (end - dates[article] for article in articles if article in dates)


def _likely(least: timedelta, under: timedelta, slide: timedelta) -> str | None:
    """Return the roundest window between the bounds, None if there is none."""
    for unit in (slide, *_UNITS):
        window = -(-least // unit) * unit
        if timedelta(0) < window < under:
            return format_span(window)
    return None


def _other_window(window: timedelta, likely: str | None) -> ConfigError:
    given = f"--window is {format_span(window)}"
    if likely is None:
        return ConfigError(
            f"{given}, but articles are listed for longer or shorter than that; "
            "pass the --window of the run, and the stream it was made from"
        )
    return ConfigError(
        f"{given}, but these assignments look like a window of {likely}; "
        f"pass --window {likely}"
    )


__all__ = [
    "AssignmentRow",
    "Report",
    "Score",
    "WindowedScore",
    "evaluate_assignments",
    "score",
]

Watch: TypeAlias = Callable[[datetime, Stories], None]
"""Called with each window: the end of its slide, and its stories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowedScore:
    """The paper's headline: each metric's mean over the scored windows."""

    mean: MetricValues
    windows: tuple[tuple[datetime, Score], ...]
    """Each scored window by the end of its slide, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How well a run did, by window and as a whole, and under which rules."""

    protocol: str
    window: timedelta
    slide: timedelta
    windowed: WindowedScore
    whole_stream: Score
    """Scores of each labelled article's last story; they fall if identity breaks."""
    full_windows: bool
    """False when no window reached W, and the shorter ones were scored instead."""
    unlabelled: int
    """Articles of the stream without a true story, left out of every score."""
    missing: int
    """Labelled articles in no row: unassigned in the whole-stream score."""

    def figures(self) -> dict[str, float]:
        """Return every metric under one name, as floors and tables use it."""
        parts = {"windowed": self.windowed.mean, "whole_stream": self.whole_stream}
        return {
            f"{part}_{name}": getattr(metrics, name)
            for part, metrics in parts.items()
            for name in METRICS
        }


@dataclass(slots=True)
class _Tally:
    """What one pass over the windows collects. Mutable."""

    first: datetime | None = None
    last: dict[str, str | None] = field(default_factory=dict)
    early: list[tuple[datetime, Score]] = field(default_factory=list)
    full: list[tuple[datetime, Score]] = field(default_factory=list)
    listed: bool = False
    """Whether a slide with rows ends on the calendar."""
    off_calendar: datetime | None = None


def evaluate_assignments(
    truth: Truth,
    rows: Iterable[AssignmentRow],
    window: timedelta,
    slide: timedelta,
    protocol: str = "singleton",
    watch: Watch | None = None,
) -> Report:
    """Score a run's assignments, reading one slide at a time.

    `truth` has every article of the stream, with None for those without a label.
    `rows` give, slide by slide, the articles in the window and their stories.
    Scored are the calendar slides (multiples of S since the epoch, in UTC) whose
    end is at least W after the first one's and whose window holds a labelled
    article; on a stream shorter than W, all that hold one (`full_windows` False).
    `watch` is called with every window, so that one pass over the rows can serve
    more than scores.
    """
    check_protocol(protocol)
    _check_spans(window, slide)
    labelled = labelled_only(truth)
    tally = _Tally()
    for end, stories in walk(_noting(rows, slide, tally), window, slide):
        refuse_strangers(truth, stories, end)
        if watch is not None:
            watch(end, stories)
        tally.last.update(stories)
        tally.first = tally.first or end
        if not on_calendar(end, slide):
            tally.off_calendar = end
        elif labelled.keys() & stories.keys():
            reached = end - tally.first >= window
            scored = _score_window(labelled, stories, protocol)
            (tally.full if reached else tally.early).append((end, scored))
    windows = tally.full or tally.early
    if not windows or not tally.listed:
        raise _nothing_to_score(tally, slide)
    return Report(
        protocol=protocol,
        window=window,
        slide=slide,
        windowed=WindowedScore(
            mean=mean_metrics([each for _, each in windows]), windows=tuple(windows)
        ),
        whole_stream=score(
            list(labelled.values()), [tally.last.get(a) for a in labelled], protocol
        ),
        full_windows=bool(tally.full),
        unlabelled=len(truth) - len(labelled),
        missing=len(labelled.keys() - tally.last.keys()),
    )


def _check_spans(window: timedelta, slide: timedelta) -> None:
    for name, span in (("window", window), ("slide", slide)):
        if not isinstance(span, timedelta) or span <= timedelta(0):
            raise ConfigError(
                f"windows are scored by the calendar, so {name} must be a duration "
                f"longer than nothing, like 7d; got {span!r}"
            )
    if slide > window:
        raise ConfigError(
            f"slide ({format_span(slide)}) must not be longer than window "
            f"({format_span(window)}): articles would fall between two windows"
        )


def _noting(
    rows: Iterable[AssignmentRow], slide: timedelta, tally: _Tally
) -> Iterator[AssignmentRow]:
    """Yield the rows, noting whether any is of a calendar slide.

    Windows by number end anywhere: the calendar slides between them are not slides
    of the run.
    """
    for row in rows:
        if not tally.listed and row.slide_end.tzinfo is not None:
            tally.listed = on_calendar(row.slide_end, slide)
        yield row


def _score_window(truth: Mapping[str, str], stories: Stories, protocol: str) -> Score:
    articles = [article for article in stories if article in truth]
    return score([truth[a] for a in articles], [stories[a] for a in articles], protocol)


def _nothing_to_score(tally: _Tally, slide: timedelta) -> ConfigError:
    if tally.first is None:
        return ConfigError("there are no assignments to score: no row was given")
    if tally.off_calendar is not None:
        return ConfigError(
            f"windows are scored where slides of {format_span(slide)} end, counted "
            "from 1970-01-01 in UTC, and no assignments are listed there; got a slide "
            f"ending {tally.off_calendar.isoformat()}: give the slide of the run, "
            "which must be by time and not by number of articles"
        )
    return ConfigError(
        "no window holds an article with a true story; score assignments against the "
        "labelled stream they were made from"
    )


def check_floors(scores: Mapping[str, float], floors: Mapping[str, float]) -> list[str]:
    """Return one sentence for each score under its floor; none when all hold.

    `scores` are a report's `figures()`. A floor under no score is refused, so
    that a misspelt name cannot pass for a floor that holds.

    >>> check_floors({"ari": 0.7}, {"ari": 0.75})
    ['ari is 0.7000, under its floor of 0.7500 (short by 0.05).']
    """
    return [
        f"{name} is {scores[name]:.4f}, under its floor of {floor:.4f} "
        f"(short by {floor - scores[name]:.2g})."
        for name, floor in floors.items()
        if not _holds(scores, name, floor)
    ]


def _holds(scores: Mapping[str, float], name: str, floor: float) -> bool:
    if name not in scores:
        raise ConfigError(
            f"there is a floor for {name!r}, which is not scored; "
            f"scored are: {', '.join(sorted(scores))}"
        )
    number = isinstance(floor, int | float) and not isinstance(floor, bool)
    if not number or not math.isfinite(floor):
        raise ConfigError(f"the floor of {name} must be a number, got {floor!r}")
    # A score that is not a number holds no floor.
    return scores[name] >= floor
