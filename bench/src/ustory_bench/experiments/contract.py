"""What an experiment is: jobs that can run apart, and what their results say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ustory.core import registry
from ustory_bench.report.blocks import Section
from ustory_bench.runner.jobs import BenchPlan, Cell, Job, Plain


class Experiment(Protocol):
    """A table or figure; found by name under `ustory_bench.experiments`."""

    name: str
    title: str
    paper: str
    """`Table 2`, `Fig. 5`, or `beyond the paper`."""

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        """Return what must be measured; shared with other experiments where equal."""
        ...

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        """Return what results.json keeps, from the cells of `jobs`, in that order."""
        ...

    def section(self, data: Mapping[str, Plain]) -> Section:
        """Return what the report shows, from what `gather` returned alone."""
        ...


def find_experiment(name: str) -> Experiment:
    """Return the experiment registered under a name."""
    found: Experiment = registry.find("experiments", name)
    return found
