"""The flags that choose an executor, and the executor that they choose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from ustory.core.protocols import Executor
from ustory.core.registry import names
from ustory.engine.executors import load_executor

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--executor",
        type=click.Choice(names("executors")),
        default="inline",
        show_default=True,
        help="Where slides are computed; the stories are the same.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="With processes or ray: how many work at a time.  [default: the cores]",
    ),
    click.option(
        "--address",
        metavar="HOST:PORT",
        help="With ray: the cluster to use.  [default: one of this machine]",
    ),
)


def executor_options(command: Command) -> Command:
    """Add the flags that `opened_executor` reads."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@contextmanager
def opened_executor(options: Mapping[str, Any]) -> Iterator[Executor]:
    """Open the executor that the flags name, and end its workers afterwards."""
    executor = load_executor(
        options["executor"], options["workers"], options["address"]
    )
    try:
        yield executor
    finally:
        executor.close()
