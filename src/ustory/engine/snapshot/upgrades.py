"""How states of older formats are read: a small function from each format to the next.

A state file is worth more than any release: every format that was ever released can be
read for ever. Whoever changes the meaning of columns, renames or removes one, raises
`FORMAT` and adds a function here. A new field with a default needs neither: where its
columns are missing the default stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from ustory.engine.snapshot.columns import Columns

Head: TypeAlias = dict[str, Any]
"""The second line of a sealed state, without the index of its columns."""

Upgrade: TypeAlias = Callable[[Head, Columns], tuple[Head, Columns]]
"""Returns the head and the columns of a state as the next format has them."""


def writer(format_: int, head: Head) -> Any:  # noqa: ANN401 - whatever a file says
    """Return what a state says of who wrote it; format 2 is of release 0.1.0."""
    return {"method": 1, "version": "0.1.0"} if format_ == 2 else head["written"]


def _with_writer(head: Head, columns: Columns) -> tuple[Head, Columns]:
    """Format 2 did not say who wrote it."""
    return {**head, "written": writer(2, head)}, columns


UPGRADES: Mapping[int, Upgrade] = MappingProxyType({2: _with_writer})
"""What makes of each older format the next one."""

FORMAT = max(UPGRADES) + 1
"""What is written now."""

OLDEST = min(UPGRADES)
"""Format 1 was never released."""


def upgraded(format_: int, head: Head, columns: Columns) -> tuple[Head, Columns]:
    """Return the head and the columns of a state of any format as `FORMAT` has them."""
    for older in range(format_, FORMAT):
        head, columns = UPGRADES[older](head, columns)
    return head, columns
