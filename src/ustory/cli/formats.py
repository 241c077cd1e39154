"""The option that says how files are to be read."""

from __future__ import annotations

import click

from ustory.sources.open import FORMATS

format_option = click.option(
    "--format",
    "read_as",
    type=click.Choice(FORMATS),
    help="How to read the files; by default as their names and first bytes say.",
)
