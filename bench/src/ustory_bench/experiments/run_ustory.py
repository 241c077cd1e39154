"""The method of the paper, run over part of a stream for the case studies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory.engine.state import State
from ustory_bench.experiments.contract import DeclaredExperiment
from ustory_bench.experiments.pictures import by_stream
from ustory_bench.runner.follow import prepared_slides
from ustory_bench.runner.jobs import BenchPlan, Cell, Inputs, Job, Plain
from ustory_bench.system import find_system

OURS = "ustory-auto"
"""The system of the case studies: the paper's method without a given M.

`ustory discover` runs `ustory-links` unless it is given `--preset paper`.
"""


@dataclass(frozen=True, slots=True)
class UstoryRun:
    """The settings of a run, and its state after each slide."""

    settings: Settings
    states: Sequence[State]

    @property
    def last(self) -> State:
        """The state after the last slide."""
        return self.states[-1]


def run_ustory(inputs: Inputs, articles: Sequence[PreparedArticle]) -> UstoryRun:
    """Return the run of our own method over some articles, slide by slide."""
    engine = find_system(OURS).make(inputs.settings, inputs.encoder)
    assert isinstance(engine, Engine)
    slides = prepared_slides(articles, inputs.settings)

    def states() -> Iterator[State]:
        state = engine.begin()
        for slide in slides:
            state, _ = engine.advance(state, slide)
            yield state

    return UstoryRun(engine.settings, tuple(states()))


def one_each(plan: BenchPlan, task: str, **arguments: Plain) -> list[Job]:
    """Return one job of our own system for each stream of a plan."""
    return [
        Job(
            system=OURS,
            stream=stream,
            encoder=plan.encoders[0],
            task=task,
            arguments=arguments,
        )
        for stream in plan.streams
    ]


@dataclass(frozen=True, kw_only=True)
class CaseStudy(DeclaredExperiment):
    """An experiment that looks at one run of the paper's method on each stream."""

    task: str

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        """Return a job for each stream."""
        return one_each(plan, self.task)

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        """Return the result of each stream."""
        del plan
        return by_stream(self.name.capitalize(), cells)
