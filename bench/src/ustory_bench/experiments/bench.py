"""The whole bench: streams, jobs, what they come to, and the files of the report."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.settings import Settings
from ustory_bench.experiments.contract import Experiment, find_experiment
from ustory_bench.experiments.kinds import chosen, in_order
from ustory_bench.experiments.results import Measured, write_report
from ustory_bench.runner.input_streams import (
    InputStream,
    input_streams,
    simulated_streams,
)
from ustory_bench.runner.job_pool import RunConfig
from ustory_bench.runner.jobs import BenchPlan, Cell, settings_for
from ustory_bench.runner.prepared_streams import Prepared, prepare_all
from ustory_bench.runner.score import duration
from ustory_bench.runner.tuning import Search
from ustory_bench.runner.work import Watch, Work

ORDER = (
    "table1",
    "table2",
    "identity",
    "cosines",
    "strategies",
    "windows",
    "steps",
    "parameters",
    "articles-per-story",
    "slides",
    "encoders",
    "timeline",
    "map",
    "neighbours",
    "sentences",
)
"""The order of the paper; experiments that are not here come last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRequest:
    """What a bench is asked for; no systems or experiments are all there are."""

    files: Sequence[str]
    folder: Path
    """Where the report goes; `work` in it holds what is finished."""
    systems: Sequence[str] = ()
    again: Sequence[str] = ()
    """Systems whose finished cells are measured anew."""
    experiments: Sequence[str] = ()
    encoders: Sequence[str] = ("wordllama",)
    settings: Settings = field(default_factory=Settings)
    """W, S and the seed."""
    windows: Mapping[str, str] = field(default_factory=dict)
    """W of the streams that have one of their own, by name."""
    seeds: int = 1
    tune: bool = False
    workers: int = 1
    """Processes side by side."""
    limit: float = 600.0
    """Seconds that a job may take."""
    memory: int | None = None
    """MiB that a job may take; None is all there is."""
    read_as: str | None = None
    on_error: str = "stop"


def run_bench(asked: BenchRequest, watch: Watch) -> Measured:
    """Do what is not done yet, write the report, and return what was measured.

    Names, files and folders are refused before anything is computed.
    """
    experiments = _experiments(asked.experiments)
    streams = input_streams(asked.files, asked.read_as, asked.on_error)
    plan = _plan(asked, streams)
    _need_plotly()
    _need_folder(asked.folder)
    material = _material(asked, plan, streams, watch)
    work = _work(asked, material, watch)
    if plan.tune:
        digests = {name: each.about["sha256"] for (name, _), each in material.items()}
        plan = Search(plan, digests, work.do).tuned()
    measured = Measured(
        plan=plan,
        cells=_cells(plan, experiments, work),
        material=material,
        limits={"seconds": asked.limit, "mib": asked.memory, "workers": asked.workers},
    )
    watch.show("writing the report")
    write_report(measured, experiments, asked.folder)
    return measured


def _experiments(asked: Sequence[str]) -> dict[str, Experiment]:
    names = chosen("experiments", asked)
    known = [name for name in ORDER if name in names]
    others = [name for name in names if name not in ORDER]
    return {name: find_experiment(name) for name in (*known, *others)}


def _plan(asked: BenchRequest, streams: Sequence[InputStream]) -> BenchPlan:
    for name in asked.windows:
        if name not in {each.name for each in streams}:
            raise ConfigError(
                f"a window is given for {name!r}, and no stream is named so; there "
                f"are: {', '.join(each.name for each in streams)}"
            )
    for each in streams:  # scores follow the calendar
        duration(settings_for(each.name, asked.settings, asked.windows).window)
    chosen("encoders", [name.partition(":")[0] for name in asked.encoders])
    return BenchPlan(
        streams=[each.name for each in streams],
        encoders=list(dict.fromkeys(asked.encoders)),
        systems=_systems(asked),
        settings=asked.settings,
        windows=asked.windows,
        seeds=asked.seeds,
        tune=asked.tune,
    )


def _systems(asked: BenchRequest) -> list[str]:
    """Return the systems to compare; refuse to measure others anew."""
    systems = in_order(chosen("systems", asked.systems))
    for name in asked.again:
        if name not in systems:
            raise ConfigError(
                f"{name!r} cannot be measured anew, it is not compared; compared are: "
                f"{', '.join(systems)}"
            )
    return systems


def _material(
    asked: BenchRequest, plan: BenchPlan, streams: Sequence[InputStream], watch: Watch
) -> dict[tuple[str, str], Prepared]:
    folder, text = asked.folder / "work" / "streams", asked.settings.text
    found = prepare_all(streams, plan.encoders, text, folder, watch.show)
    if plan.tune:
        more, first = simulated_streams(), plan.encoders[:1]
        found |= prepare_all(more, first, text, folder, watch.show)
    return found


def _work(
    asked: BenchRequest, material: Mapping[tuple[str, str], Prepared], watch: Watch
) -> Work:
    config = RunConfig(
        settings=asked.settings,
        material=material,
        windows=asked.windows,
        logs=asked.folder / "work" / "logs",
        limit=asked.limit,
        memory=asked.memory,
    )
    cells = asked.folder / "work" / "cells.jsonl"
    return Work(cells, config, asked.workers, watch, asked.again)


def _cells(
    plan: BenchPlan, experiments: Mapping[str, Experiment], work: Work
) -> dict[str, list[Cell]]:
    """Return the cells of each experiment; jobs that several ask for are done once."""
    jobs = {name: list(each.jobs(plan)) for name, each in experiments.items()}
    done = work.do([job for each in jobs.values() for job in each])
    found, place = {}, 0
    for name, each in jobs.items():
        found[name] = done[place : place + len(each)]
        place += len(each)
    return found


def _need_plotly() -> None:
    if find_spec("plotly") is None:
        raise MissingExtraError("plotly, which draws the report,", "", "ustory-bench")


def _need_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written to, before anything is computed."""
    probe = folder / "work" / f"writable-{os.getpid()}"
    try:
        probe.parent.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise ConfigError(
            f"cannot write to the folder {folder}: {error.strerror or error}; give "
            "one that can be written to"
        ) from error
