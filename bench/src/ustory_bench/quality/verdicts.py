"""The quality gate: no system may score under its pinned floors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.scores.windows import check_floors
from ustory_bench.quality.pins import StreamPins, moved
from ustory_bench.runner.score import score_system
from ustory_bench.runner.streams import Stream
from ustory_bench.runner.tuning import Parameters
from ustory_bench.system import find_system

SMALL_STORIES: Parameters = {"min_articles": 2}
"""What systems that have the parameter are judged with, all others at their defaults.

The streams of the gate have small stories. With the paper's M of 8 next to none would
be found, and a floor under nothing guards nothing.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gate says of one system on one stream."""

    system: str
    stream: str
    figures: Mapping[str, float] = field(default_factory=dict)
    """Empty for a system that could not be run."""
    faults: tuple[str, ...] = ()
    """A sentence for each floor that it fell through; none when it passes."""
    missing: str = ""
    """What is not installed, if that kept it from being judged."""


def judge(
    name: str, stream: Stream, pins: StreamPins, settings: Settings, encoder: Encoder
) -> Verdict:
    """Run a system and hold its scores against its floors.

    A system without an extra it needs is not judged, and the verdict says so; one
    without floors has a fault. Data that is not the pinned one is refused.
    """
    pins.refuse_other_data(stream)
    verdict = measured(name, stream, settings, encoder)
    if verdict.missing:
        return verdict
    where = f"{name} on {stream.name}"
    if name not in pins.floors:
        fault = f"{where}: no floors are pinned; pin them with --write."
        return replace(verdict, faults=(fault,))
    told = check_floors(verdict.figures, pins.floors[name])
    return replace(verdict, faults=tuple(f"{where}: {each}" for each in told))


def measured(
    name: str, stream: Stream, settings: Settings, encoder: Encoder
) -> Verdict:
    """Return a system's scores on a stream, without a judgement."""
    try:
        system = find_system(name)
        small = {k: v for k, v in SMALL_STORIES.items() if k in system.parameters}
        outcome = score_system(system, stream, settings, encoder, small)
    except MissingExtraError as error:
        return Verdict(system=name, stream=stream.name, missing=str(error))
    figures = outcome.report.figures()
    return Verdict(system=name, stream=stream.name, figures=figures)


def repinned(
    pins: StreamPins, stream: Stream, verdicts: Iterable[Verdict], *, lower: bool
) -> tuple[StreamPins, tuple[str, ...]]:
    """Return the pins moved to what was measured, and why some stay as they were.

    Other data is pinned whole or not at all, so that no floor is ever beside data
    it was not measured on: all floors must hold there, or `lower` be given, which
    drops those of systems that were not measured.
    """
    known = [verdict for verdict in verdicts if verdict.figures]
    changed = pins.sha256 != stream.sha256
    unmeasured = sorted(set(pins.floors) - {verdict.system for verdict in known})
    after, refused = replace(pins, sha256=stream.sha256), []
    if changed and unmeasured and not lower:
        refused.append(
            f"{stream.name}: its data changed, and {', '.join(unmeasured)} cannot be "
            "measured on the new; install what is missing, or drop the floors with "
            "--lower"
        )
    if changed:
        floors = {k: v for k, v in pins.floors.items() if k not in unmeasured}
        after = replace(after, floors=floors)
    for verdict in known:
        try:
            after = moved(after, verdict.system, verdict.figures, lower=lower)
        except ConfigError as error:
            refused.append(f"{stream.name}: {error}")
    return (pins if changed and refused else after), tuple(refused)
