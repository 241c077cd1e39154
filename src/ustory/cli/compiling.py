"""A notice that the first run compiles, in one line on stderr."""

# mypy: disable-error-code="misc, no-untyped-call"
from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import click

_NOTICE = "compiling for this machine: once, about 15 seconds; later runs start at once"


def announce_compilation(say: Callable[[str], None] | None = None) -> None:
    """Say that kernels compile when the first one does; cached ones compile no more.

    Nothing is imported for it: a command that has not loaded numba compiles nothing.
    """
    if "numba" in sys.modules:
        from numba.core import event  # noqa: PLC0415 - it is there already

        event.register("numba:compile", compilation_listener(say or _to_stderr))


def _to_stderr(notice: str) -> None:
    click.echo(notice, err=True)


def compilation_listener(say: Callable[[str], None]) -> Any:  # noqa: ANN401 - numba's
    """Return what numba calls at the start and the end of each compilation."""
    from numba.core import event  # noqa: PLC0415 - only with numba, which is heavy

    class Compilation(event.Listener):
        """Counts how deep compilations are nested."""

        said = False
        depth = 0

        def on_start(self, event: Any) -> None:  # noqa: ANN401 - numba's
            """Say it once, and let no garbage be collected: it takes a sixth of all."""
            del event
            if not self.said:
                self.said = True
                say(_NOTICE)
            self.depth += 1
            gc.disable()

        def on_end(self, event: Any) -> None:  # noqa: ANN401 - numba's
            """Collect garbage again after the outermost."""
            del event
            self.depth -= 1
            if self.depth == 0:
                gc.enable()

    return Compilation()
