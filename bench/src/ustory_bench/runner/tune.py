"""Searches a system's parameters, never on the stream that is reported."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from random import Random
from statistics import fmean
from typing import TypeAlias

from ustory.core.errors import ConfigError
from ustory_bench.runner.streams import Stream
from ustory_bench.system import Parameter, System

LIMIT = 20
"""Configurations tried of each system, at most."""

OBJECTIVE = (
    "mean of windowed and whole-stream B3-F1 (singleton protocol), then over streams"
)
"""What the search maximises, for tables to say."""

_ROUNDS = 100  # a small grid repeats itself before it is exhausted

Parameters: TypeAlias = Mapping[str, Parameter]
Measure: TypeAlias = Callable[[Parameters, Stream], float]
"""Returns how good a configuration is on a stream; nan if it failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One configuration and how it did on each stream it was tried on."""

    parameters: Parameters
    values: Mapping[str, float]

    @property
    def mean(self) -> float:
        """Every stream counts the same; nan if the configuration failed on one."""
        return fmean(self.values.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """The best configuration, and all that it was chosen from."""

    system: str
    parameters: Parameters
    trials: tuple[Trial, ...]

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams it was tuned on."""
        return tuple(self.trials[0].values)


def objective(figures: Mapping[str, float]) -> float:
    """Return what is maximised: windowed and whole-stream B3-F1 in equal parts.

    `figures` are those of a report under the `singleton` protocol.
    """
    return fmean((figures["windowed_bcubed_f1"], figures["whole_stream_bcubed_f1"]))


def configurations(
    system: System, limit: int = LIMIT, seed: int = 0
) -> tuple[dict[str, Parameter], ...]:
    """Return the configurations to try, the default first.

    All of `system.ranges` where they are at most `limit`; else a sample in which
    the values of each parameter come up equally often, drawn with `seed`.
    """
    if limit < 1:
        raise ConfigError(f"at least 1 configuration must be tried, got {limit}")
    ranges = {name: tuple(values) for name, values in system.ranges.items()}
    default = dict(system.parameters)
    size = math.prod(len(values) for values in ranges.values())
    grid = _grid(ranges) if size <= limit else _spread(ranges, limit, seed)
    found = [default]
    for changes in grid:
        changed = {**default, **changes}
        if changed not in found:
            found.append(changed)
    return tuple(islice(found, limit))


def _grid(ranges: Mapping[str, Sequence[Parameter]]) -> Iterator[dict[str, Parameter]]:
    for values in product(*ranges.values()):
        yield dict(zip(ranges, values, strict=True))


def _spread(
    ranges: Mapping[str, Sequence[Parameter]], limit: int, seed: int
) -> Iterator[dict[str, Parameter]]:
    """Yield Latin hypercubes of `limit` points: each value in equally many."""
    random = Random(seed)
    for _ in range(_ROUNDS):
        columns = [_column(values, limit, random) for values in ranges.values()]
        for point in zip(*columns, strict=True):
            yield dict(zip(ranges, point, strict=True))


def _column(values: Sequence[Parameter], limit: int, random: Random) -> list[Parameter]:
    column = [values[place * len(values) // limit] for place in range(limit)]
    random.shuffle(column)
    return column


def tune(
    system: System,
    others: Sequence[Stream],
    measure: Measure,
    *,
    reported: Stream,
    configs: Sequence[Parameters] | None = None,
) -> Tuned:
    """Return the configuration that is best on the other streams.

    `measure` is called for each configuration and stream; it may remember what it
    measured before. The first of equally good ones wins, which is the default if
    it is among them. A stream with the data of `reported` is refused.
    """
    _refuse_reported(others, reported)
    trials = tuple(
        Trial(parameters=each, values={s.name: measure(each, s) for s in others})
        for each in (configurations(system) if configs is None else configs)
    )
    whole = [trial for trial in trials if not math.isnan(trial.mean)]
    if not whole:
        raise ConfigError(
            f"{system.name} cannot be tuned: each of its {len(trials)} configurations "
            "failed on a stream"
        )
    best = max(whole, key=lambda trial: trial.mean)
    return Tuned(system=system.name, parameters=best.parameters, trials=trials)


def _refuse_reported(others: Sequence[Stream], reported: Stream) -> None:
    if not others:
        raise ConfigError(
            f"{reported.name} is reported, so parameters must be tuned on other "
            "streams, and there is none; give another stream, or simulated ones"
        )
    for stream in others:
        if reported.name == stream.name or reported.sha256 == stream.sha256:
            raise ConfigError(
                f"a reported stream is never tuned on; {stream.name} is "
                f"{reported.name}: leave it out of the streams to tune on"
            )
