"""Chooses the parameters of each system, never on the stream that is reported."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice, product
from random import Random
from statistics import fmean
from typing import TypeAlias

from ustory.core.errors import ConfigError
from ustory_bench.runner.input_streams import SIMULATED
from ustory_bench.runner.jobs import OK, BenchPlan, Cell, Job, Plain
from ustory_bench.runner.score import PROTOCOL
from ustory_bench.runner.scoring import (
    SCORE,
    TRIAL,
    objective,
    score_arguments,
    without_minimum,
)
from ustory_bench.runner.streams import Stream
from ustory_bench.system import Parameter, System, find_system

MAX_CONFIGURATIONS = 20
"""Configurations tried of each system, at most."""

OBJECTIVE = (
    "mean of windowed and whole-stream B3-F1 (singleton protocol), then over streams"
)
"""What the search maximises, for tables to say."""

FINALISTS = 6
"""Configurations tried on the given streams: the default, and the best of the rest on
the simulated ones, which cost little. What Table 2 then shows is among them."""

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


def configurations(
    system: System, limit: int = MAX_CONFIGURATIONS, seed: int = 0
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What tuning chose for a system on a stream."""

    parameters: Parameters
    """Those that are not the defaults."""
    tried: int
    """Configurations, the default among them."""
    on: Sequence[str]
    """The streams that had a say; the reported one is never among them."""
    value: float
    """Mean of the objective over those streams."""
    default: float | None
    """The same, of the default; None where it failed."""


@dataclass(frozen=True, slots=True)
class Search:
    """Trials of configurations, and what they come to."""

    plan: BenchPlan
    digests: Mapping[str, str]
    """SHA-256 of each stream: two names for one stream do not help."""
    do: Callable[[Sequence[Job]], Sequence[Cell]]
    _values: dict[tuple[str, str, str], float] = field(default_factory=dict)

    def tuned(self) -> BenchPlan:
        """Return the plan with the choice for each stream and system."""
        tried = {name: _configurations(name) for name in self.plan.systems}
        self._try(tried, SIMULATED, self._trial)
        finalists = {name: self._best(name, each) for name, each in tried.items()}
        given = self.plan.streams if self._several() else []
        self._try(finalists, given, self._scored)
        found: dict[str, dict[str, object]] = {}
        for stream in self.plan.streams:
            found[stream] = {}
            for name, configs in finalists.items():
                choice = self._choice(name, stream, configs, len(tried[name]))
                if choice is not None:
                    found[stream][name] = asdict(choice)
        return replace(self.plan, tuned=found)

    def _several(self) -> bool:
        """Return whether a given stream has a say for another."""
        return len({self.digests[each] for each in self.plan.streams}) > 1

    def _try(
        self,
        configs: Mapping[str, Sequence[Parameters]],
        streams: Collection[str],
        job: Callable[[str, str, Parameters], Job],
    ) -> None:
        jobs = {
            (name, stream, _text(each)): job(name, stream, each)
            for name, tried in configs.items()
            for each in tried
            for stream in streams
        }
        cells = self.do(list(jobs.values()))
        for place, cell in zip(jobs, cells, strict=True):
            ended = _value_of(cell)
            self._values[place] = math.nan if ended is None else ended

    def _trial(self, system: str, stream: str, parameters: Parameters) -> Job:
        asked = {"system": system, "parameters": dict(parameters)}
        return self._job(system, stream, TRIAL, asked)

    def _scored(self, system: str, stream: str, parameters: Parameters) -> Job:
        """Return the job that Table 2 asks for, if the configuration is chosen."""
        asked = score_arguments(system, _changes(system, parameters))
        return self._job(system, stream, SCORE, asked)

    def _job(self, system: str, stream: str, task: str, asked: Plain) -> Job:
        return Job(
            system=system,
            stream=stream,
            encoder=self.plan.encoders[0],
            task=task,
            arguments=asked,
        )

    def _best(self, name: str, configs: Sequence[Parameters]) -> list[Parameters]:
        """Return the default, and those that do best on the simulated streams."""
        default, *rest = configs

        def value(parameters: Parameters) -> float:
            found = fmean(self._value(name, each, parameters) for each in SIMULATED)
            return -math.inf if math.isnan(found) else found

        ranked = sorted(rest, key=value, reverse=True)
        return [default, *ranked[: FINALISTS - 1]]

    def _value(self, name: str, stream: str, parameters: Parameters) -> float:
        return self._values[name, stream, _text(parameters)]

    def _choice(
        self, name: str, stream: str, configs: Sequence[Parameters], tried: int
    ) -> Choice | None:
        """Return what the other streams choose; None if every trial failed there."""
        names = [*self.plan.streams, *SIMULATED]
        digest = self.digests[stream]
        others = [each for each in names if self.digests[each] != digest]
        try:
            found = tune(
                find_system(name),
                [self._bare(each) for each in others],
                lambda parameters, on: self._value(name, on.name, parameters),
                reported=self._bare(stream),
                configs=configs,
            )
        except ConfigError:
            return None  # its failed trials are listed one by one
        means = {_text(trial.parameters): trial.mean for trial in found.trials}
        default = means[_text(configs[0])]
        return Choice(
            parameters=_changes(name, found.parameters),
            tried=tried,
            on=others,
            value=round(means[_text(found.parameters)], 6),
            default=None if math.isnan(default) else round(default, 6),
        )

    def _bare(self, name: str) -> Stream:
        return Stream(name=name, articles=(), sha256=self.digests[name])


def _configurations(name: str) -> Sequence[Parameters]:
    """Return what to try of a system; M stays what the labels say, as in the paper."""
    system: System = find_system(name)
    free = replace(
        system,
        parameters=without_minimum(system.parameters),
        ranges={k: v for k, v in system.ranges.items() if k != "min_articles"},
    )
    return configurations(free, MAX_CONFIGURATIONS)


def _changes(name: str, parameters: Parameters) -> dict[str, Parameter]:
    """Return the parameters that are not a system's defaults."""
    usual = set(find_system(name).parameters.items())
    return dict(sorted(set(parameters.items()) - usual))


def _value_of(cell: Cell) -> float | None:
    """Return how good a configuration is, None where that could not be measured."""
    if cell.status != OK:
        return None
    if cell.job.task == TRIAL:
        value: float | None = cell.result["value"]
        return value
    return objective(cell.result["figures"][PROTOCOL])


def _text(parameters: Parameters) -> str:
    return repr(sorted(parameters.items()))
