"""Floors under the scores: a quality gate says in words what fell through."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ustory.core.errors import ConfigError


def check_floors(scores: Mapping[str, float], floors: Mapping[str, float]) -> list[str]:
    """Return one sentence for each score under its floor; none when all hold.

    `scores` are a report's `figures()`. A floor under no score is refused, so
    that a misspelt name cannot pass for a floor that holds.

    >>> check_floors({"ari": 0.7}, {"ari": 0.75})
    ['ari is 0.7000, under its floor of 0.7500 (short by 0.05).']
    """
    return [
        f"{name} is {scores[name]:.4f}, under its floor of {floor:.4f} "
        f"(short by {floor - scores[name]:.2g})."
        for name, floor in floors.items()
        if not _holds(scores, name, floor)
    ]


def _holds(scores: Mapping[str, float], name: str, floor: float) -> bool:
    if name not in scores:
        raise ConfigError(
            f"there is a floor for {name!r}, which is not scored; "
            f"scored are: {', '.join(sorted(scores))}"
        )
    number = isinstance(floor, int | float) and not isinstance(floor, bool)
    if not number or not math.isfinite(floor):
        raise ConfigError(f"the floor of {name} must be a number, got {floor!r}")
    # A score that is not a number holds no floor.
    return scores[name] >= floor
