"""A load while it goes on, and what it came to, in words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rich.progress import Progress

from ustory.cli.console import article_bar, results
from ustory.core.wording import many
from ustory_bench.load.figures import LoadReport, Times
from ustory_bench.load.pace import Pace

Show: TypeAlias = Callable[[Pace], None]
"""Is told how far a load is."""

_EVERY = 0.1  # seconds between two updates
_GIB = 1024  # MiB


@contextmanager
def load_bar(total: int | None, shown: bool | None) -> Iterator[Show]:
    """Show how much was handed over; `shown` None is: if stderr is a terminal."""
    said = (
        "{task.completed:,} articles, {task.fields[rate]:,.0f}/s, "
        "{task.fields[lag]:.1f} s late,"
    )
    with article_bar("loading", said, shown) as bar:
        yield _shower(bar, total) if bar else lambda pace: None


def print_report(report: LoadReport) -> None:
    """Print what a load came to."""
    console = results()
    for line in report_lines(report):
        console.print(line, soft_wrap=True)


def report_lines(report: LoadReport) -> Iterator[str]:
    """Yield what a load came to, line by line."""
    asked = (
        "as fast as they were taken"
        if report.rate is None
        else f"at {report.rate:g} a second"
    )
    whom = "the engine" if report.against == "engine" else report.against
    yield (
        f"{many(report.articles, 'article', 'articles')} against {whom}, {asked}, in "
        f"{report.seconds:.1f} s"
    )
    yield f"sustained  {report.articles_per_second:,.1f} articles/s"
    if report.slides is not None:
        slides = many(report.slides.count, "slide", "slides")
        yield f"slides     {_times(report.slides)} ({slides})"
    if report.lag is not None:
        yield f"lag        {_times(report.lag)} behind the rate"
    yield from _service_lines(report)
    yield (
        f"memory     {_size(report.memory_mib)} at the end, "
        f"{_size(report.peak_mib)} at most"
    )
    yield (
        f"window     {many(report.window, 'article', 'articles')}, "
        f"{many(report.stories, 'story', 'stories')}"
    )
    yield _verdict(report)


def _service_lines(report: LoadReport) -> Iterator[str]:
    if report.told is not None:
        yield f"told       {_times(report.told)} after posting"
    if report.untold:
        yield (
            f"open       {many(report.untold, 'article', 'articles')} in a slide whose "
            "time is not over"
        )
    if report.outcomes:
        parts = (f"{count:,} {outcome}" for outcome, count in report.outcomes.items())
        yield f"taken in   {', '.join(parts)}"
    if report.refused_requests:
        times = many(report.refused_requests, "time", "times")
        yield f"refused    {times}: too much was waiting, or asked at once"


def _verdict(report: LoadReport) -> str:
    if not report.articles:
        return "There was no article to hand over."
    day = round(report.articles_per_second * 86_400, -3)
    if report.keeps_up is None:
        return f"That would be {day:,.0f} articles a day."
    if report.keeps_up:
        return f"It keeps up with {report.rate:g} articles a second."
    return (
        f"It falls behind: the last article was taken {report.last_lag:.1f} s after it "
        f"was due, at {report.articles_per_second:,.1f} a second instead of "
        f"{report.rate:g}."
    )


def _times(times: Times) -> str:
    return (
        f"{_span(times.median)} in the middle, {_span(times.p95)} for the slowest "
        f"twentieth, {_span(times.longest)} at most"
    )


def _span(seconds: float) -> str:
    """Return a time as people read it.

    >>> _span(0.0123), _span(2.5)
    ('12.3 ms', '2.50 s')
    """
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _size(mib: float) -> str:
    return f"{mib:.0f} MiB" if mib < _GIB else f"{mib / _GIB:.2f} GiB"


def _shower(bar: Progress, total: int | None) -> Show:
    task = bar.add_task("", total=total, rate=0.0, lag=0.0)
    began = shown_at = time.monotonic()

    def show(pace: Pace) -> None:
        nonlocal shown_at
        now = time.monotonic()
        if now - shown_at >= _EVERY:
            shown_at = now
            rate = pace.handed / (now - began)
            bar.update(task, completed=pace.handed, rate=rate, lag=pace.lag)

    return show
