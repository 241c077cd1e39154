"""The demo stream, articles written for a test, and jobs run in this process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.article import Article, PreparedArticle
from ustory.core.settings import Settings
from ustory.encode.wordllama import WordLlamaEncoder
from ustory.sources.demo import demo_stream
from ustory.testing import TinyEncoder
from ustory.testing.parts import START, count_words
from ustory.text import load_pipeline
from ustory_bench.experiments.contract import Experiment
from ustory_bench.report.blocks import Section
from ustory_bench.report.wellformed import check_sections
from ustory_bench.runner.jobs import FAILED, OK, BenchPlan, Cell, Inputs, Job
from ustory_bench.runner.streams import Stream, read_stream

NAME = "stream"


@cache
def demo_inputs() -> Inputs:
    """Return the demo stream, ready to be measured."""
    encoder = WordLlamaEncoder()
    stream = read_stream(demo_stream(), load_pipeline("fast"), encoder)
    return Inputs(stream=stream, settings=Settings(mode="paper"), encoder=encoder)


def inputs_of(articles: Sequence[PreparedArticle]) -> Inputs:
    """Return articles as a stream that was given to be measured."""
    stream = Stream(name=NAME, articles=tuple(articles), sha256="0" * 64)
    return Inputs(stream=stream, settings=Settings(mode="paper"), encoder=TinyEncoder())


def written(
    name: str, sentences: Sequence[str], story: str | None, hours: float = 0
) -> PreparedArticle:
    """Return an article of given sentences, so many hours after the start."""
    return PreparedArticle(
        article=Article(
            id=name,
            published_at=START + timedelta(hours=hours),
            title=sentences[0],
            text=" ".join(sentences[1:]),
            label=story,
        ),
        sentences=tuple(sentences),
        counts=count_words(sentences),
        vectors=TinyEncoder().encode(sentences),
    )


def plan_of(*systems: str) -> BenchPlan:
    """Return a plan for one stream."""
    return BenchPlan(
        streams=[NAME],
        encoders=["tiny"],
        systems=systems,
        settings=Settings(mode="paper"),
    )


def measured(experiment: Experiment, plan: BenchPlan, inputs: Inputs) -> list[Cell]:
    """Return the cells of all jobs, run one after the other."""
    return [
        Cell(job=job, status=OK, result=call(job, inputs))
        for job in experiment.jobs(plan)
    ]


def all_failed(experiment: Experiment, plan: BenchPlan) -> list[Cell]:
    """Return the cells of all jobs, had they failed."""
    return [failed(Cell(job=job, status=OK)) for job in experiment.jobs(plan)]


def call(job: Job, inputs: Inputs) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return what a job's task returns, as it comes back from another process."""
    module, function = job.task.split(":")
    task = getattr(import_module(module), function)
    return json.loads(json.dumps(task(inputs, **job.arguments)))


def failed(cell: Cell) -> Cell:
    """Return the cell of the same job, had it failed."""
    return Cell(job=cell.job, status=FAILED, reason="the dog ate it")


def shown(experiment: Experiment, data: Mapping[str, Any]) -> Section:
    """Return the section of what was kept, after a trip through JSON.

    It is well-formed, and the trip changed nothing.
    """
    section = experiment.section(json.loads(json.dumps(data)))
    assert section == experiment.section(data)
    check_sections([section])
    return section


def unit_mean(one: PreparedArticle) -> Vector:
    """Return the mean of an article's sentences, of length 1."""
    mean: Vector = one.vectors.astype(np.float64).mean(axis=0)
    return mean / np.linalg.norm(mean)
