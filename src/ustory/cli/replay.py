"""`ustory replay`: the same input gives the same ledger, checked by hash."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from ustory.cli.plan import FILE, RunPlan, plan_of, run_options, run_plan
from ustory.core.errors import UStoryError
from ustory.sources.open import file_digest

_PARTS = ("events", "assignments")


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@run_options
@click.option(
    "--verify",
    is_flag=True,
    help="Run twice, and fail unless both ledgers and all assignments are the same.",
)
@click.option(
    "--against",
    type=FILE,
    metavar="EVENTS",
    help="Fail unless the ledger is the one that `discover --events` wrote here.",
)
def replay(files: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click's
    """Run FILE... again and print the hash of its ledger: what happened to stories."""
    plan = plan_of(files, options)
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
