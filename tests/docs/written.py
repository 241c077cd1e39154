"""The parts of the documentation that the program itself writes.

Run it with `make docs`; a test says when that was forgotten.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click
from click.testing import CliRunner
from rich.console import Console

from tests.docs.pages import ROOT
from ustory.cli.main import cli
from ustory.cli.report import story_table
from ustory.cli.story_record import StoryRecord
from ustory.demo import demo_stream

_REFERENCE = ROOT / "docs" / "reference" / "cli.md"
_MARK = "<!-- below here: written by `make docs` from --help -->\n"
_README = ROOT / "README.md"
_TABLE = re.compile(
    r"(?<=<!-- written by `make docs` -->\n```text\n).*?(?=^```)", re.M | re.S
)
_WIDTH = 88
_ROOMY = 124
_STORIES = 6


def reference() -> str:
    """Return the command reference: its own opening, then the help of each command."""
    opening, mark, _ = _REFERENCE.read_text(encoding="utf-8").partition(_MARK)
    sections = (
        f"\n## {context.command_path}\n\n```text\n{context.get_help()}\n```\n"
        for context in commands(cli, "ustory")
    )
    return opening + mark + "".join(sections)


def readme() -> str:
    """Return the README with the largest stories of the demo's stream in it."""
    text = _README.read_text(encoding="utf-8")
    return _TABLE.sub(lambda _: _largest_stories(), text, count=1)


WRITTEN: Mapping[Path, Callable[[], str]] = {_REFERENCE: reference, _README: readme}


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
        for sub in command.list_commands(context):
            below = command.get_command(context, sub)
            assert below is not None
            yield from commands(below, sub, context)


def _largest_stories() -> str:
    done = CliRunner().invoke(cli, ["discover", str(demo_stream()), "--json"])
    assert done.exit_code == 0, done.output
    records = [
        StoryRecord.from_dict(each) for each in json.loads(done.stdout)["stories"]
    ]
    console = Console(file=io.StringIO(), width=_ROOMY)
    with console.capture() as printed:
        console.print(story_table(records[:_STORIES], console))
    return "".join(f"{line.rstrip()}\n" for line in printed.get().splitlines())


if __name__ == "__main__":
    for page, write in WRITTEN.items():
        page.write_text(write(), encoding="utf-8")
