"""What commands share: consoles, progress bars, options as one decorator."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from ustory.cli.saved import estimated_lines
from ustory.core.registry import names
from ustory.sources.open import GROUP
from ustory.sources.records.cursor import display_name, line_of

Command = TypeVar("Command", bound=Callable[..., Any])

_WIDE = 150  # columns when the output is not a terminal


def results() -> Console:
    """Return the console for results."""
    width = None if sys.stdout.isatty() else _WIDE
    return Console(width=width, highlight=False, markup=False)


def remarks(*, forced: bool = False) -> Console:
    """Return the console for progress and warnings; `forced` shows bars in files."""
    return Console(
        stderr=True, highlight=False, markup=False, force_terminal=forced or None
    )


format_option = click.option(
    "--format",
    "read_as",
    type=click.Choice(names(GROUP)),
    help="How to read the files; by default as their names and first bytes say.",
)


def combined(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return several options of a command as one decorator, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


Show = Callable[[Mapping[str, str]], None]
"""Called with the cursors of the sources after each article."""

_EVERY = 0.1  # seconds between two updates


@contextmanager
def progress_bar(
    paths: Sequence[str], start: Mapping[str, str], shown: bool | None
) -> Iterator[Show]:
    """Show how far the sources are read; `shown` None is: if stderr is a terminal."""
    text = "{task.fields[articles]:,} articles, {task.fields[rate]:.0f}/s,"
    with article_bar("reading", text, shown) as bar:
        yield _shower(bar, paths, start) if bar else lambda cursors: None


@contextmanager
def article_bar(doing: str, text: str, shown: bool | None) -> Iterator[Progress | None]:
    """Show a bar with a text about the task beside it, and the remaining time.

    Nothing is shown, and None given, if `shown` is False, or None and stderr is
    no terminal.
    """
    if not (sys.stderr.isatty() if shown is None else shown):
        yield None
        return
    with Progress(
        TextColumn(doing),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn(text),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=remarks(forced=shown is True),
        transient=True,
    ) as bar:
        yield bar


@contextmanager
def slide_bar(total: int, shown: bool | None) -> Iterator[Callable[[int], None]]:
    """Show how many of some slides are computed; a call says that one more is."""
    with article_bar("computing", "slide {task.completed:,}", shown) as bar:
        if bar is None:
            yield lambda number: None
            return
        task = bar.add_task("", total=total)
        yield lambda number: bar.update(task, advance=1)


def _shower(bar: Progress, paths: Sequence[str], start: Mapping[str, str]) -> Show:
    total = estimated_lines(paths)
    names = [display_name(path) for path in paths]
    done = _lines(start, names)
    task = bar.add_task("", total=total, completed=done, articles=0, rate=0.0)
    began = shown_at = time.monotonic()
    articles = 0

    def show(cursors: Mapping[str, str]) -> None:
        nonlocal articles, shown_at
        articles += 1
        now = time.monotonic()
        if now - shown_at >= _EVERY:
            shown_at = now
            rate = articles / (now - began)
            lines = _lines(cursors, names)
            bar.update(task, completed=lines, articles=articles, rate=rate)

    return show


def _lines(cursors: Mapping[str, str], names: Sequence[str]) -> int:
    return sum(line_of(cursors.get(name, "")) for name in names)
