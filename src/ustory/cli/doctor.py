"""`ustory doctor`: say what is wrong with an archive, and what to do."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ustory.cli.serve import DATABASE
from ustory.core.errors import ConfigError

if TYPE_CHECKING:
    from ustory.service.examine_archive import Finding

_WORDS = {"ok": "ok     ", "note": "note   ", "warning": "WARNING", "error": "ERROR  "}


@click.command()
@click.argument("database", default=DATABASE, metavar="[DATABASE]")
@click.option("--json", "as_json", is_flag=True, help="One JSON list, for programs.")
@click.pass_context
def doctor(ctx: click.Context, database: str, as_json: bool) -> None:
    """Look at an archive, its feeds, disk and clock, and say what to do.

    DATABASE is a file, or postgresql://…; without one it is ustory.db. It is only
    read, and may be served meanwhile. The exit code is 1 if there is a warning or
    an error.
    """
    from ustory.service.doctor import examine  # noqa: PLC0415 - heavy, optional
    from ustory.store.address import file_of, parse_address  # noqa: PLC0415 - heavy

    file = file_of(parse_address(database))
    if file is not None and not file.is_file():
        raise ConfigError(
            f"there is no database {file}; name the one of `ustory serve`"
        )
    found = examine(database, datetime.now(UTC))
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found], indent=2))
    else:
        for each in found:
            click.echo(_line(each))
    if any(each.level in ("warning", "error") for each in found):
        ctx.exit(1)


def _line(finding: Finding) -> str:
    text = "".join(c if c.isprintable() else "?" for c in finding.message)
    advice = f"\n        → {finding.advice}" if finding.advice else ""
    return f"{_WORDS[finding.level]} {finding.check}: {text}{advice}"
