"""The parts of the documentation that the program itself writes.

Run it with `make docs`; a test says when that was forgotten.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import click
from click.testing import CliRunner
from rich.console import Console

from tests.docs import (
    authors,
    beside_rivals,
    capacity,
    cold_start,
    constants,
    languages,
    lessons,
    measured,
    mode,
    near_recall,
    pictures,
    poisoning,
    reliability,
    service_times,
    simulated,
    speeds,
)
from tests.docs.pages import ROOT, pages
from tests.docs.parts import Part, filled, has_parts, link
from ustory.cli.main import cli
from ustory.cli.report import story_table
from ustory.core.registry import names
from ustory.sources.demo import demo_stream
from ustory.stories.record import StoryRecord
from ustory.web.limits import limit_rows
from ustory_bench.system import Parameter, System, find_system

_SYSTEMS = ROOT / "docs" / "reference" / "systems.md"
_REFERENCE = ROOT / "docs" / "reference" / "cli.md"
_MARK = "<!-- below here: written by `make docs` -->\n"
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


def systems() -> str:
    """Return the page of all systems that can be compared, variants beside them."""
    opening, mark, _ = _SYSTEMS.read_text(encoding="utf-8").partition(_MARK)
    found = [find_system(name) for name in names("systems")]
    cited: dict[str, list[System]] = {}
    for system in found:
        cited.setdefault(system.citation, []).append(system)
    sections = (_section(citation, same) for citation, same in cited.items())
    return opening + mark + "".join(sections)


def _section(citation: str, same: Sequence[System]) -> str:
    shared = [c for c in same[0].choices if all(c in each.choices for each in same)]
    title = ", ".join(f"`{system.name}`" for system in same)
    lines = [f"\n## {title}\n", f"{citation.rstrip('.')}.\n"]
    lines += ["| system | parameters, with the values that are tried |", "|---|---|"]
    for system in same:
        values = (
            f"{name} {value}" + _tried(system.ranges.get(name))
            for name, value in system.parameters.items()
        )
        lines.append(f"| `{system.name}` | {'; '.join(values)} |")
    lines.append("")
    lines += [f"- {choice}" for choice in shared]
    for system in same:
        own = [choice for choice in system.choices if choice not in shared]
        lines += [f"- `{system.name}`: {choice}" for choice in own]
    return "\n".join([*lines, ""])


def _tried(values: Sequence[Parameter] | None) -> str:
    return f" ({', '.join(map(str, values))})" if values else ""


def demo_stories(page: Path) -> str:
    """Return the largest stories of the demo's stream, as `ustory discover` prints."""
    return f"```text\n{_largest_stories()}```"


def limits(page: Path) -> str:
    """Return the table of the service's limits."""
    rows = [f"| `{name}` | {value} | {words} |" for name, value, words in limit_rows()]
    return "\n".join(["| limit | default | what it bounds |", "|---|---|---|", *rows])


def upgrade(page: Path) -> str:
    """Return what the upgrade of a large archive costs."""
    found = measured.results("upgrade.json")
    rows = [
        ("the backup and the new schema", f"{found['schema_seconds']:.1f} s"),
        ("the first start, to the first slide", f"{found['start_seconds']:.1f} s"),
        ("the database before", _megabytes(found["bytes_before"])),
        ("its backup", _megabytes(found["bytes_backup"])),
        ("the database after", _megabytes(found["bytes_after"])),
        ("memory at most", f"{found['peak_megabytes']:,} MB"),
    ]
    where = link(page, "bench/results/upgrade.json")
    return "\n".join(
        [
            f"{found['articles']:,} articles of 30 days, {found['window']:,} in "
            f"the window, written by release 0.1.0 into SQLite; on "
            f"{found['machine']['processor']}, {found['machine']['cores']} cores, from "
            f"{where} (`python -m ustory_bench.service.upgrade`).",
            "",
            "| what | |",
            "|---|---|",
            *(f"| {what} | {value} |" for what, value in rows),
        ]
    )


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"


PARTS: Mapping[str, Part] = {
    "demo-stories": demo_stories,
    "about": measured.about,
    "tables": measured.tables,
    "finding": measured.finding,
    "figures": measured.figures,
    "faults": measured.faults,
    "choices": measured.choices,
    "authors": authors.authors,
    "words": lessons.words,
    "protocols": lessons.protocols,
    "ablations": lessons.ablations,
    "steps": speeds.steps,
    "speed": speeds.speed,
    "metrics": speeds.metrics,
    "wire": speeds.wire,
    "mode": mode.mode,
    **beside_rivals.PARTS,
    **capacity.PARTS,
    **constants.PARTS,
    **reliability.PARTS,
    **languages.PARTS,
    **cold_start.PARTS,
    **near_recall.PARTS,
    **poisoning.PARTS,
    **simulated.PARTS,
    **service_times.PARTS,
    "limits": limits,
    "upgrade": upgrade,
}
"""What a page can ask for between two comments, by name: see `tests.docs.parts`."""

WRITTEN: Mapping[Path, Callable[[], str]] = {
    _REFERENCE: reference,
    _SYSTEMS: systems,
    **{page: partial(filled, page, PARTS) for page in pages() if has_parts(page)},
}


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


_PLAIN = ("--set", "gist_encoder=none")
"""What is shown is what a plain installation gives."""


def _largest_stories() -> str:
    done = CliRunner().invoke(cli, ["discover", str(demo_stream()), "--json", *_PLAIN])
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
    pictures.tidy()
