"""What a run found, as a table for people and as JSON for programs."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from textwrap import shorten

from rich.console import Console
from rich.table import Table

from ustory.cli.console import results
from ustory.cli.session import Session
from ustory.core.settings import Settings
from ustory.core.wording import many
from ustory.sources.records.problems import Problems
from ustory.stories.record import StoryRecord

_KEYWORDS = 5
_HEADLINE = 90  # characters of it in the table
_ROOMY = 120  # columns from which dates and sparklines are written in full
_BARS = "▁▂▃▄▅▆▇█"
_NOTHING = "·"
_LATE = (
    "too old for the window on arrival, and left out; "
    "sort the file by date, or give a longer --window"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A run in numbers."""

    settings: Settings
    stories: Sequence[StoryRecord]
    """The largest first; of very many, only those."""
    in_run: int
    """Stories that were live at some time of this run."""
    in_all: int
    """Stories the state has ever had."""
    articles: int
    """All the state has ever taken in."""
    read: int
    """Those of this run."""
    waiting: int
    """Articles in the window that no story wants yet."""
    left: int
    """Articles that left the window without a story."""
    too_late: int
    problems: Problems
    seconds: Mapping[str, float]
    elapsed: float

    @classmethod
    def of(cls, session: Session, began: float) -> Summary:
        """Return the summary of a run that has ended; it `began` on `perf_counter`."""
        state = session.discovery.state
        found = session.records.joined + state.waiting
        return cls(
            settings=session.discovery.settings,
            stories=session.records.largest(),
            in_run=session.records.in_run,
            in_all=state.next_story - 1,  # ids are never used twice
            articles=state.arrivals,
            read=state.arrivals - session.arrivals_before,
            waiting=state.waiting,
            left=max(state.arrivals - state.too_late - found, 0),
            too_late=state.too_late,
            problems=session.feed.skipped.problems,
            seconds=dict(session.discovery.stopwatch.seconds),
            elapsed=time.perf_counter() - began,
        )


def print_summary(summary: Summary, top: int = 0) -> None:
    """Print the table of stories, what has none, what was left out, and the time."""
    console = results()
    shown = summary.stories[:top] if top else summary.stories
    if shown:
        console.print(story_table(shown, console))
    if len(shown) < summary.in_run:
        more = many(summary.in_run - len(shown), "smaller story", "smaller stories")
        console.print(f"… and {more}; {_how_to_see(summary)}")
    _print_counts(console, summary)
    for line in (*summary.problems.summary(), _times(summary)):
        console.print(line, soft_wrap=True)  # one line each, for those who search


def story_table(stories: Sequence[StoryRecord], console: Console) -> Table:
    """Return the table of stories, with articles per day over the whole run."""
    roomy = console.width >= _ROOMY
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("story", no_wrap=True)
    table.add_column("headline", ratio=3)
    table.add_column("keywords", ratio=2)
    table.add_column("articles", justify="right")
    for title in ("first seen", "last seen", "per day"):
        table.add_column(title, no_wrap=True)
    first = min(record.first_seen for record in stories).date()
    last = max(record.last_seen for record in stories).date()
    form = "%Y-%m-%d" if roomy else "%m-%d"
    for record in stories:
        table.add_row(
            record.id,
            shorten(record.headline, _HEADLINE, placeholder="…"),
            ", ".join(record.keywords[:_KEYWORDS]),
            str(record.articles),
            record.first_seen.strftime(form),
            record.last_seen.strftime(form),
            sparkline(record.days, first, last, width=30 if roomy else 10),
        )
    return table


def summary_json(summary: Summary) -> str:
    """Return everything the table says, and the settings, as one JSON object."""
    return json.dumps(
        {
            "stories": [record.to_dict() for record in summary.stories],
            "stories_in_run": summary.in_run,
            "stories_in_all": summary.in_all,
            "articles": summary.articles,
            "unassigned": summary.waiting + summary.left,
            "waiting": summary.waiting,
            "too_late": summary.too_late,
            "skipped": summary.problems.counts,
            "seconds": {k: round(v, 6) for k, v in summary.seconds.items()},
            "elapsed": round(summary.elapsed, 6),
            "settings": summary.settings.to_dict(),
        },
        ensure_ascii=False,
    )


def _print_counts(console: Console, summary: Summary) -> None:
    unassigned = summary.waiting + summary.left
    console.print(
        f"\n{_story_count(summary)}; "
        f"{many(summary.articles, 'article', 'articles')}, "
        f"{unassigned:,} unassigned ({summary.waiting:,} of them still in the window)"
    )
    if summary.too_late:
        late = many(summary.too_late, "article was", "articles were")
        console.print(f"{late} {_LATE}", soft_wrap=True)


def _story_count(summary: Summary) -> str:
    stories = many(summary.in_run, "story", "stories")
    if summary.in_run == summary.in_all:
        return stories
    return f"{stories} live or ended in this run ({summary.in_all:,} in all)"


def _how_to_see(summary: Summary) -> str:
    if len(summary.stories) == summary.in_run:
        return "--top 0 shows them all"
    return "--stories FILE writes them all"


def _times(summary: Summary) -> str:
    steps = sorted(summary.seconds.items(), key=lambda pair: -pair[1])
    parts = [f"{step} {seconds:.2f}s" for step, seconds in steps]
    rate = summary.read / summary.elapsed if summary.elapsed else 0.0
    return f"{summary.elapsed:.2f}s, {rate:.0f} articles/s: {', '.join(parts)}"


def sparkline(days: Mapping[date, int], first: date, last: date, width: int) -> str:
    """Return one bar per day from `first` to `last`, days drawn together to fit.

    The highest bar is the story's own maximum; a dot is a day without an article.

    >>> day = date(2024, 3, 4).replace
    >>> sparkline({day(day=4): 4, day(day=6): 1}, day(day=3), day(day=6), width=9)
    '·█·▂'
    """
    span = (last - first).days + 1
    together = -(-span // width)
    sums = [0] * -(-span // together)
    for day, count in days.items():
        sums[(day - first).days // together] += count
    highest = max(sums, default=0)
    return "".join(
        _BARS[-(-count * len(_BARS) // highest) - 1] if count else _NOTHING
        for count in sums
    )
