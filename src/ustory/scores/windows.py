"""Scores assignments window by window, and over the whole stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeAlias

from ustory.core.errors import ConfigError
from ustory.core.spans import format_span
from ustory.scores.label_scores import METRICS, Metrics, Score, mean_metrics, score
from ustory.scores.protocols import check_protocol
from ustory.scores.slides import Row, Stories, on_calendar, walk
from ustory.scores.truth import Truth, labelled_only, refuse_strangers

__all__ = ["Report", "Row", "Score", "WindowedScore", "evaluate_assignments", "score"]

Watch: TypeAlias = Callable[[datetime, Stories], None]
"""Is shown each window as it goes by: the end of its slide, and its stories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowedScore:
    """The paper's headline: each metric's mean over the scored windows."""

    mean: Metrics
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
    """Of each labelled article's last story; here broken identity shows."""
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
    """What one pass over the windows gathers; it changes as they go by."""

    first: datetime | None = None
    last: dict[str, str | None] = field(default_factory=dict)
    early: list[tuple[datetime, Score]] = field(default_factory=list)
    full: list[tuple[datetime, Score]] = field(default_factory=list)
    listed: bool = False
    """Whether a slide with rows ends on the calendar."""
    off_calendar: datetime | None = None


def evaluate_assignments(
    truth: Truth,
    rows: Iterable[Row],
    window: timedelta,
    slide: timedelta,
    protocol: str = "singleton",
    watch: Watch | None = None,
) -> Report:
    """Score a run's assignments, reading one slide at a time.

    `truth` has every article of the stream, with None where it has no label.
    `rows` give, slide by slide, the articles in the window and their stories.
    Scored are the calendar slides (multiples of S since the epoch, in UTC) whose
    end is at least W after the first one's and whose window holds a labelled
    article; on a stream shorter than W, all that hold one (`full_windows` False).
    `watch` is shown every window, so that the rows are read once for more than
    scores.
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


def _noting(rows: Iterable[Row], slide: timedelta, tally: _Tally) -> Iterator[Row]:
    """Yield the rows, noting whether any is of a calendar slide.

    Windows by number end anywhere: what lies on the calendar between them are quiet
    slides that the run never had.
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
