"""Finds the parts that are chosen by name, through entry points."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ustory.core.errors import ConfigError

Part = TypeVar("Part")
_RECIPES: WeakKeyDictionary[Any, tuple[Any, ...]] = WeakKeyDictionary()


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


def made_of(part: Part, *recipe: Any) -> Part:  # noqa: ANN401 - whatever it was made of
    """Record the recipe of a part, so that another process can rebuild it."""
    with suppress(
        TypeError
    ):  # parts without weak references are never rebuilt by workers
        _RECIPES[part] = recipe
    return part


def recipe_of(part: object) -> tuple[Any, ...] | None:
    """Return the recipe of a part, None if it was not made by name."""
    try:
        return _RECIPES.get(part)
    except TypeError:
        return None
