"""What an article without a story counts as when stories are scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ustory.core.errors import ConfigError

PROTOCOLS = ("singleton", "paper")
"""`singleton`: each unassigned article is its own story; `paper`: all are one."""

Label: TypeAlias = str | tuple[str, int]
"""A story's id, or what stands in for a missing one; the two never collide."""


def check_protocol(protocol: str) -> str:
    """Return the protocol's name; refuse one that does not exist."""
    if protocol not in PROTOCOLS:
        raise ConfigError(
            f"no protocol named {protocol!r} for unassigned articles; "
            f"try one of: {', '.join(PROTOCOLS)}"
        )
    return protocol


def label_unassigned(predicted: Sequence[str | None], protocol: str) -> list[Label]:
    """Return a label for every article, so that metrics see a full grouping.

    >>> label_unassigned(["s1", None, None], "paper")
    ['s1', ('unassigned', 0), ('unassigned', 0)]
    >>> label_unassigned(["s1", None, None], "singleton")
    ['s1', ('unassigned', 1), ('unassigned', 2)]
    """
    apart = check_protocol(protocol) == "singleton"
    return [
        ("unassigned", place if apart else 0) if story is None else story
        for place, story in enumerate(predicted)
    ]
