"""Writes the command reference from the commands' own help.

Run it with `make docs`; a test says when that was forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from tests.docs.pages import ROOT
from ustory.cli.main import cli

PAGE = ROOT / "docs" / "reference" / "cli.md"
MARK = "<!-- below here: written by `make docs` from --help -->\n"
_WIDTH = 88


def reference() -> str:
    """Return the page as it should be: its own opening, then every command."""
    opening, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    sections = (
        f"\n## {context.command_path}\n\n```text\n{context.get_help()}\n```\n"
        for context in commands(cli, "ustory")
    )
    return opening + mark + "".join(sections)


def commands(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[click.Context]:
    """Yield the context of a command and of all below it."""
    context = click.Context(
        command,
        parent,
        info_name=name,
        terminal_width=_WIDTH,
        **command.context_settings,
    )
    yield context
    if isinstance(command, click.Group):
        for sub, below in sorted(command.commands.items()):
            yield from commands(below, sub, context)


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
