"""`ustory replay`: the same input gives the same ledger, checked by hash."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from ustory.cli.console import format_option
from ustory.cli.plan import PRESETS, Choices, RunPlan, read_flags, run_plan
from ustory.core.errors import UStoryError
from ustory.sources.open import file_digest

_FILE = click.Path(path_type=Path, dir_okay=False)
_FLAGS = ("window", "slide", "min_articles", "encoder")
_PARTS = ("events", "assignments")


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@format_option
@click.option("--preset", type=click.Choice(list(PRESETS)), help="As in `discover`.")
@click.option("--min-articles", type=int, metavar="M", help="As in `discover`.")
@click.option("--window", metavar="SPAN", help="As in `discover`.")
@click.option("--slide", metavar="SPAN", help="As in `discover`.")
@click.option("--encoder", metavar="NAME", help="As in `discover`.")
@click.option("--settings", type=_FILE, metavar="FILE", help="As in `discover`.")
@click.option(
    "--set", "pairs", multiple=True, metavar="NAME=VALUE", help="As in `discover`."
)
@click.option("--guidance", type=_FILE, metavar="FILE", help="As in `discover`.")
@click.option(
    "--verify",
    is_flag=True,
    help="Run twice, and fail unless both ledgers and all assignments are the same.",
)
@click.option(
    "--against",
    type=_FILE,
    metavar="EVENTS",
    help="Fail unless the ledger is the one that `discover --events` wrote here.",
)
def replay(files: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click's
    """Run FILE... again and print the hash of its ledger: what happened to stories."""
    flags = read_flags({name: options[name] for name in _FLAGS}, options["pairs"])
    plan = RunPlan(
        files=files,
        read_as=options["read_as"],
        choices=Choices(
            preset=options["preset"], file=options["settings"], flags=flags
        ),
        guidance=options["guidance"],
    )
    first = _hashes(plan)
    for part in _PARTS:
        click.echo(f"{first[part]}  {part}")
    if options["verify"]:
        _compare(first, _hashes(plan), "a second run")
        click.echo("a second run gave the same events and assignments")
    if options["against"] is not None:
        expected = {"events": file_digest(options["against"])}
        _compare(first, expected, str(options["against"]))
        click.echo(f"{options['against']} holds the same events")


def _hashes(plan: RunPlan) -> dict[str, str]:
    """Run a plan and return the SHA-256 of each of its outputs."""
    with TemporaryDirectory(prefix="ustory-replay-") as folder:
        outputs = {part: Path(folder) / f"{part}.jsonl" for part in _PARTS}
        run_plan(replace(plan, outputs=outputs))
        return {part: file_digest(path) for part, path in outputs.items()}


def _compare(found: dict[str, str], expected: dict[str, str], where: str) -> None:
    for part, digest in expected.items():
        if found[part] != digest:
            raise UStoryError(
                f"{where} has other {part}: {digest[:16]}…, not {found[part][:16]}…; "
                "check that input, settings, encoder and version are the same"
            )
