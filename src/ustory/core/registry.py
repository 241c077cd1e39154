"""Finds the parts that are chosen by name, through entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from ustory.core.errors import ConfigError


@cache
def names(group: str) -> tuple[str, ...]:
    """List what is registered under `ustory.<group>`, sorted."""
    return tuple(
        sorted({entry.name for entry in entry_points(group=f"ustory.{group}")})
    )


@cache
def find(group: str, name: str) -> Any:  # noqa: ANN401 - whatever the entry point names
    """Import what is registered as `name` under `ustory.<group>`."""
    for entry in entry_points(group=f"ustory.{group}", name=name):
        return entry.load()
    known = ", ".join(names(group))
    raise ConfigError(f"no {group.rstrip('s')} named {name!r}; try one of: {known}")
