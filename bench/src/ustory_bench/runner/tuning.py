"""Chooses the parameters of each system, never on the stream that is reported."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean

from ustory.core.errors import ConfigError
from ustory_bench.runner.input_streams import SIMULATED
from ustory_bench.runner.jobs import OK, BenchPlan, Cell, Job, Plain
from ustory_bench.runner.score import PROTOCOL
from ustory_bench.runner.scoring import (
    SCORE,
    TRIAL,
    score_arguments,
    without_minimum,
)
from ustory_bench.runner.streams import Stream
from ustory_bench.runner.tune import LIMIT, Parameters, configurations, objective, tune
from ustory_bench.system import Parameter, System, find_system

FINALISTS = 6
"""Configurations tried on the given streams: the default, and the best of the rest on
the simulated ones, which cost little. What Table 2 then shows is among them."""


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
            return None  # its trials are told one by one
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
    return configurations(free, LIMIT)


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
