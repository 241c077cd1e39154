"""The lines of a comparison: which system, with which encoder, tuned or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ustory_bench.experiments.kinds import (
    FLOOR,
    WORDS,
    kind_of,
    needs_encoder,
    needs_seed,
)
from ustory_bench.experiments.trivial import APART, TOGETHER, TRIVIAL
from ustory_bench.runner.jobs import OK, BenchPlan, Cell, Job, Plain
from ustory_bench.runner.scoring import SCORE, score_arguments

DEFAULT, TUNED = "default", "tuned"
"""At the parameters a system comes with, or those that other streams chose."""

_FLOORS = "floors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of a comparison."""

    system: str
    encoder: str
    kind: str
    setting: str = DEFAULT

    def jobs(self, plan: BenchPlan, stream: str) -> list[Job]:
        """Return its jobs on a stream: one for each seed, where seeds matter."""
        if self.kind == FLOOR:
            return [self._job(_FLOORS, stream, TRIVIAL, {"name": self.system})]
        seeds = plan.seeds if needs_seed(self.system) else 1
        changes: dict[str, Plain] = {}
        if self.setting == TUNED:
            changes = dict(plan.tuned[stream][self.system]["parameters"])
        return [
            self._job(
                self.system, stream, SCORE, score_arguments(self.system, changes, seed)
            )
            for seed in range(seeds)
        ]

    def _job(self, whose: str, stream: str, task: str, asked: Plain) -> Job:
        return Job(
            system=whose,
            stream=stream,
            encoder=self.encoder,
            task=task,
            arguments=asked,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a line did on a stream: the cells of its seeds."""

    line: Line
    stream: str
    cells: Sequence[Cell]

    @property
    def failure(self) -> Cell | None:
        """The first cell without a result, None if all have one."""
        return next((cell for cell in self.cells if cell.status != OK), None)


def lines_of(plan: BenchPlan) -> list[Line]:
    """Return the systems of a plan at their defaults; those on words stand once."""
    return [
        Line(system=system, encoder=encoder, kind=kind_of(system))
        for place, encoder in enumerate(plan.encoders)
        for system in plan.systems
        if place == 0 or needs_encoder(system)
    ]


def tuned_lines_of(plan: BenchPlan) -> list[Line]:
    """Return the systems that were tuned, with the encoder they were tuned with."""
    return [
        Line(
            system=system,
            encoder=plan.encoders[0],
            kind=kind_of(system),
            setting=TUNED,
        )
        for system in plan.systems
        if plan.tuned and all(system in each for each in plan.tuned.values())
    ]


def floor_lines_of(plan: BenchPlan) -> list[Line]:
    """Return what needs no method."""
    return [
        Line(system=name, encoder=plan.encoders[0], kind=FLOOR)
        for name in (APART, TOGETHER)
    ]


def jobs_of(lines: Sequence[Line], plan: BenchPlan) -> list[Job]:
    """Return the jobs of lines on all streams, in the order that `ended` reads."""
    return [job for _, _, jobs in _walk(lines, plan) for job in jobs]


def ended(lines: Sequence[Line], plan: BenchPlan, cells: Sequence[Cell]) -> list[Ended]:
    """Return how each line did on each stream, from the cells of `jobs_of`."""
    found, place = [], 0
    for line, stream, jobs in _walk(lines, plan):
        own = cells[place : place + len(jobs)]
        found.append(Ended(line=line, stream=stream, cells=own))
        place += len(jobs)
    return found


def same_encoder(line: Line, other: Line) -> bool:
    """Return whether two lines may be held against each other."""
    alike = other.kind == WORDS or other.encoder == line.encoder
    return alike and line.setting == other.setting


def told_failures(all_ended: Sequence[Ended]) -> list[str]:
    """Return a sentence for each line that has no result on a stream.

    Systems that fail for one reason on every stream are told once.
    """
    streams: dict[tuple[str, str], list[str]] = {}
    for each in all_ended:
        failed = each.failure
        if failed is not None:
            key = each.line.system, failed.reason
            streams.setdefault(key, []).append(each.stream)
    return [
        f"{system} on {' and '.join(dict.fromkeys(where))}: {reason.rstrip('.')}."
        for (system, reason), where in streams.items()
    ]


def _walk(
    lines: Sequence[Line], plan: BenchPlan
) -> Iterator[tuple[Line, str, Sequence[Job]]]:
    for line in lines:
        for stream in plan.streams:
            yield line, stream, line.jobs(plan, stream)
