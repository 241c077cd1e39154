"""What commands share in printing: consoles, and the option for formats."""

from __future__ import annotations

import sys

import click
from rich.console import Console

from ustory.core.registry import names
from ustory.sources.open import GROUP

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
