"""`ustory encoders`: which sentence encoders there are, and installing one."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec

import click
from rich.table import Table

from ustory.cli.console import results
from ustory.encode.installed import (
    EncoderInfo,
    encoder_catalogue,
    install_steps,
    installable,
)


@click.group(invoke_without_command=True)
@click.pass_context
def encoders(context: click.Context) -> None:
    """List the sentence encoders, or install one."""
    if context.invoked_subcommand is None:
        results().print(_table(encoder_catalogue()))


@encoders.command()
@click.argument("name", type=click.Choice(installable()))
def install(name: str) -> None:
    """Install what the encoder NAME needs, into this Python."""
    for arguments in install_steps(name):
        command = [*_installer(), *arguments]
        click.echo(shlex.join(command))
        if subprocess.run(command, check=False).returncode:
            raise click.ClickException(
                f"{name} is not installed: the command above failed; "
                "its own message says why"
            )
    click.echo(f"{name} is ready; choose it with: encoder = {_setting(name)!r}")


def _setting(name: str) -> str:
    return f"{name}:MODEL" if name == "sentence-transformers" else name


def _installer() -> list[str]:
    """Return the command that installs packages here: pip, else uv."""
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install"]
    uv = shutil.which("uv")
    if uv is None:
        raise click.ClickException(
            "neither pip nor uv is here to install packages with; "
            f"install pip with: {sys.executable} -m ensurepip"
        )
    return [uv, "pip", "install", "--python", sys.executable]


def _table(catalogue: list[EncoderInfo]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("name", "dim", "installed", "how to install", "licence", "note"):
        table.add_column(title, overflow="fold")
    for info in catalogue:
        table.add_row(
            info.name,
            str(info.dim) if info.dim else "varies",
            "yes" if info.installed else "no",
            info.install or "–",
            info.licence or "–",
            info.about,
        )
    return table
