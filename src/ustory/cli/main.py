"""The command `ustory`: one file per command, one place for errors."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import click

from ustory.cli.demo import demo
from ustory.cli.discover import discover
from ustory.cli.encoders import encoders
from ustory.cli.evaluate import evaluate
from ustory.cli.explain import explain
from ustory.cli.interrupts import InterruptedRunError
from ustory.core.errors import UStoryError

_SIGNAL_BASE = 128  # shells add it to the number of the signal that ended a command
_SIGINT = 2


class Commands(click.Group):
    """Show our own errors as messages; let bugs be tracebacks."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """Run the command, turning `UStoryError` and Ctrl-C into clean exits."""
        try:
            return super().invoke(ctx)
        except UStoryError as error:
            raise click.ClickException(_one_line(error)) from error
        except InterruptedRunError as error:
            click.echo(str(error), err=True)
            ctx.exit(_SIGNAL_BASE + error.signal_number)
        except KeyboardInterrupt:
            click.echo("interrupted; nothing was saved", err=True)
            ctx.exit(_SIGNAL_BASE + _SIGINT)


def _one_line(error: UStoryError) -> str:
    return " ".join(str(error).split())


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("ustory"), prog_name="ustory")
def cli() -> None:
    """Read a stream of news and tell the stories in it."""


for command in (discover, evaluate, explain, demo, encoders):
    cli.add_command(command)
