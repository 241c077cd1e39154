"""Pinned floors: read from a file, raised freely, lowered only on request."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any

from ustory.core.errors import ConfigError
from ustory_bench.runner.score import PROTOCOL
from ustory_bench.runner.streams import Stream

PINNED = tuple(
    f"{part}_{metric}"
    for part in ("windowed", "whole_stream")
    for metric in ("bcubed_f1", "ami", "ari")
)
"""The figures that have floors: both views, the paper's three metrics."""

MARGIN = 0.01
"""How far floors lie under the scores they were measured at: another processor rounds
otherwise, and an article that is decided by the last bit must not fail the gate."""

_STEP = Decimal("0.001")


@dataclass(frozen=True, slots=True)
class StreamPins:
    """The floors of each system on one stream, and the data they are for."""

    sha256: str = ""
    floors: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def refuse_other_data(self, stream: Stream) -> None:
        """Raise ConfigError if the stream is not the one that was pinned."""
        if self.sha256 != stream.sha256:
            raise ConfigError(
                f"the data of {stream.name} changed: its floors are for SHA-256 "
                f"{self.sha256[:12] or 'none'}…, and it has {stream.sha256[:12]}…; "
                "restore the data, or pin floors for the new with --write"
            )


def floor_of(value: float) -> float:
    """Return the floor of a score: a margin below it, rounded down to three decimals.

    >>> floor_of(0.8999)
    0.889
    """
    if not math.isfinite(value):
        raise ConfigError(f"a floor must be a number, got {value}: mend the score")
    return float(Decimal(repr(value - MARGIN)).quantize(_STEP, rounding=ROUND_FLOOR))


def floors_of(figures: Mapping[str, float]) -> dict[str, float]:
    """Return the floors that a run would pin."""
    return {name: floor_of(figures[name]) for name in PINNED}


def moved(
    pins: StreamPins, system: str, figures: Mapping[str, float], *, lower: bool
) -> StreamPins:
    """Return the pins with a system's floors at its scores, less the margin.

    Without `lower` a floor that would fall raises ConfigError: floors go up freely
    and come down by decision.
    """
    before, after = pins.floors.get(system, {}), floors_of(figures)
    fallen = [name for name in after if after[name] < before.get(name, -math.inf)]
    if fallen and not lower:
        name = fallen[0]
        raise ConfigError(
            f"{system}: the floor of {name} would fall from {before[name]:.3f} to "
            f"{after[name]:.3f}; if that is meant, say so with --lower"
        )
    return replace(pins, floors=dict(sorted({**pins.floors, system: after}.items())))


def read_pins(path: Path) -> dict[str, StreamPins]:
    """Return the pins of each stream; none if there is no file yet."""
    if not path.exists():
        return {}
    try:
        table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return {
            name: StreamPins(each["sha256"], each["floors"])
            for name, each in table["streams"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"cannot read floors from {path}: {error!r}; restore the file"
        ) from error


def write_pins(path: Path, pins: Mapping[str, StreamPins]) -> None:
    """Write the pins of all streams, in order of name, so that changes show."""
    table = {
        "protocol": PROTOCOL,
        "streams": {
            name: {"sha256": each.sha256, "floors": each.floors}
            for name, each in sorted(pins.items())
        },
    }
    text = json.dumps(table, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
