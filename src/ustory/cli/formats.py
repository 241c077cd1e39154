"""The option that says how files are to be read."""

from __future__ import annotations

import click

from ustory.core.registry import names
from ustory.sources.open import GROUP

format_option = click.option(
    "--format",
    "read_as",
    type=click.Choice(names(GROUP)),
    help="How to read the files; by default as their names and first bytes say.",
)
