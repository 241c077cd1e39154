"""What an experiment is: jobs that can run apart, and what their results say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ustory.core import registry
from ustory_bench.report.blocks import Block, Section
from ustory_bench.runner.jobs import BenchPlan, Cell, Job, Plain


class Experiment(Protocol):
    """A table or figure; found by name under `ustory_bench.experiments`."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        ...

    @property
    def title(self) -> str:
        """Heading of its section."""
        ...

    @property
    def paper(self) -> str:
        """`Table 2`, `Fig. 5`, or `beyond the paper`."""
        ...

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        """Return what must be measured; shared with other experiments where equal."""
        ...

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        """Return what results.json keeps, from the cells of `jobs`, in that order."""
        ...

    def section(self, data: Mapping[str, Plain]) -> Section:
        """Return what the report shows, from what `gather` returned alone."""
        ...


@dataclass(frozen=True, kw_only=True)
class DeclaredExperiment(ABC):
    """An experiment whose section is declared: a text and blocks, made of its data."""

    name: str
    title: str
    paper: str
    text: Callable[[Mapping[str, Plain]], str]
    blocks: Callable[[Mapping[str, Plain]], Sequence[Block]]

    @abstractmethod
    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        """Return what must be measured."""

    @abstractmethod
    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        """Return what results.json keeps."""

    def section(self, data: Mapping[str, Plain]) -> Section:
        """Return what the report shows."""
        return Section(
            id=self.name,
            title=self.title,
            paper=self.paper,
            text=self.text(data),
            blocks=self.blocks(data),
            faults=self.faults(data),
        )

    def faults(self, data: Mapping[str, Plain]) -> Sequence[str]:
        """Return what could not be measured, a sentence each."""
        found: Sequence[str] = data["faults"]
        return found


def find_experiment(name: str) -> Experiment:
    """Return the experiment registered under a name."""
    found: Experiment = registry.find("experiments", name)
    return found
