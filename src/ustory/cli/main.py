"""The command `ustory`: one file per command, one place for errors."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import Any

import click

from ustory.cli.compiling import announce_compilation
from ustory.cli.interrupts import InterruptedRunError
from ustory.core import registry
from ustory.core.errors import MissingExtraError, UStoryError
from ustory.core.extras import missing_extra

_COMMANDS = {
    "discover": "Find the stories in a stream of articles.",
    "replay": "Run a stream again and check that the ledger is the same.",
    "evaluate": "Score found stories against the true ones.",
    "explain": "Say why an article is where it is.",
    "serve": "Read feeds for ever and serve the stories in them.",
    "keys": "Add, list or revoke the API keys of serve.",
    "db": "Check, back up, restore or export the archive of serve.",
    "doctor": "Say what is wrong with an archive, and what to do.",
    "demo": "Find, explain and score stories in invented news.",
    "encoders": "List the sentence encoders, or install one.",
}
_OF_BENCH = {
    "bench": "Compare systems, with the paper's tables and figures.",
    "describe": "Say what a stream is like, and how hard.",
    "load": "Say how many articles a second an engine or a service bears.",
    "simulate": "Write a labelled stream of invented news.",
}
"""Commands of ustory-bench; without it, each says how to install it."""
_CALLED = "ustory.command"  # where click's context keeps the name of the command
_LOGGING = {"serve"}  # their stderr is a log
_SIGNAL_BASE = 128  # shells add it to the number of the signal that ended a command
_SIGINT = 2


class Commands(click.Group):
    """Show our own errors as messages; let bugs be tracebacks.

    A command's module is imported when it is called, so that `--help` and the light
    commands do not wait for the engine.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, as users meet them."""
        del ctx
        return list(_summaries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command in the file of the same name, or the registered one."""
        ctx.meta[_CALLED] = cmd_name
        if cmd_name in _COMMANDS:
            command = getattr(import_module(f"ustory.cli.{cmd_name}"), cmd_name)
        elif cmd_name in registry.names("commands"):
            command = registry.find("commands", cmd_name)
        elif cmd_name in _OF_BENCH:
            command = _absent(cmd_name)
        else:
            return None
        assert isinstance(command, click.Command)
        if ctx.obj is announce_compilation and cmd_name not in _LOGGING:
            announce_compilation()
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list of commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(_summaries().items()))

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """Run the command, turning `UStoryError` and Ctrl-C into clean exits."""
        try:
            return super().invoke(ctx)
        except UStoryError as error:
            raise click.ClickException(_one_line(error)) from error
        except ModuleNotFoundError as error:
            missing = missing_extra(error, f"what `ustory {ctx.meta[_CALLED]}` needs")
            if missing is None:
                raise
            raise click.ClickException(_one_line(missing)) from error
        except InterruptedRunError as error:
            click.echo(str(error), err=True)
            ctx.exit(_SIGNAL_BASE + error.signal_number)
        except KeyboardInterrupt:
            click.echo("interrupted; nothing was saved", err=True)
            ctx.exit(_SIGNAL_BASE + _SIGINT)


def _summaries() -> dict[str, str]:
    """Return the commands that can be run, with a sentence about each."""
    registered = {
        name: _OF_BENCH.get(name, f"From another package: see `ustory {name} --help`.")
        for name in registry.names("commands")
    }
    return {**_COMMANDS, **registered}


def _absent(name: str) -> click.Command:
    """Return a command that says how to install the package it is in."""

    @click.command(
        name,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
    def absent() -> None:
        raise MissingExtraError(f"`ustory {name}`", "", "ustory-bench")

    return absent


def _one_line(error: UStoryError) -> str:
    return " ".join(str(error).split())


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("ustory"), prog_name="ustory")
def cli() -> None:
    """Read a stream of news and find the stories in it."""


def main() -> None:
    """Run the program `ustory`, which says so if it has to compile first."""
    cli(obj=announce_compilation)
