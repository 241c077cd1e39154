"""Our own method, run over a stretch of a stream for the case studies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory.engine.state import State
from ustory_bench.runner.follow import prepared_slides
from ustory_bench.runner.jobs import BenchPlan, Inputs, Job, Plain
from ustory_bench.system import find_system

OURS = "ustory-auto"
"""The system of the case studies: what `ustory discover` runs, without a given M."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What the engine was told to do, and its state after each slide."""

    settings: Settings
    states: Sequence[State]

    @property
    def last(self) -> State:
        """The state after the last slide."""
        return self.states[-1]


def run_ours(inputs: Inputs, articles: Sequence[PreparedArticle]) -> Ran:
    """Return the run of our own method over some articles, slide by slide."""
    engine = find_system(OURS).make(inputs.settings, inputs.encoder)
    assert isinstance(engine, Engine)
    slides = prepared_slides(articles, inputs.settings)

    def states() -> Iterator[State]:
        state = engine.begin()
        for slide in slides:
            state, _ = engine.advance(state, slide)
            yield state

    return Ran(engine.settings, tuple(states()))


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
