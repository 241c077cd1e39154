"""Where words go: results to stdout, everything else to stderr."""

from __future__ import annotations

import sys

from rich.console import Console

_WIDE = 150  # columns when the output is not a terminal


def results() -> Console:
    """Return the console for what was asked for."""
    width = None if sys.stdout.isatty() else _WIDE
    return Console(width=width, highlight=False, markup=False)


def remarks(*, forced: bool = False) -> Console:
    """Return the console for progress and warnings; `forced` shows bars in files."""
    return Console(
        stderr=True, highlight=False, markup=False, force_terminal=forced or None
    )
