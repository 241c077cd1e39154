"""Jobs run in processes of their own; however one ends, it is a cell that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.bench.experiments.rigged import HERE

from ustory.core.settings import Settings
from ustory.sources.demo import demo_stream
from ustory_bench.runner.input_streams import input_streams
from ustory_bench.runner.job_pool import JOBS_PER_PROCESS, RunConfig
from ustory_bench.runner.jobs import FAILED, MEMORY, MISSING, OK, TIMEOUT, Cell, Job
from ustory_bench.runner.prepared_streams import prepare_all
from ustory_bench.runner.work import Work


class Notes:
    """A watch that notes what it is shown."""

    def __init__(self) -> None:
        self.begun: list[dict[str, int]] = []
        self.cells: list[Cell] = []

    def show(self, what: str) -> None:
        """Note nothing."""

    def begin(self, jobs: Mapping[str, int]) -> None:
        """Note how many jobs there are."""
        self.begun.append(dict(jobs))

    def done(self, cell: Cell) -> None:
        """Note how a job ended."""
        self.cells.append(cell)


def job(task: str, system: str = "one", **arguments: Any) -> Job:  # noqa: ANN401
    return Job(
        system=system,
        stream="stream",
        encoder="tiny",
        task=f"{HERE}:{task}",
        arguments=arguments,
    )


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    folder = tmp_path_factory.mktemp("bench")
    streams = input_streams([str(demo_stream())])
    material = prepare_all(streams, ["tiny"], "fast", folder, lambda _: None)
    return RunConfig(
        settings=Settings(mode="paper", encoder="tiny"),
        material=material,
        logs=folder / "logs",
        limit=60.0,
    )


def work(config: RunConfig, folder: Path, workers: int = 1) -> tuple[Work, Notes]:
    notes = Notes()
    return Work(folder / "cells.jsonl", config, workers, notes), notes


def test_every_way_to_end_is_a_cell_and_the_jobs_after_it_go_on(
    config: RunConfig, tmp_path: Path
) -> None:
    jobs = [
        job("broken"),
        job("refused"),
        job("without_extra"),
        job("segfault"),
        job("killed"),
        job("unspeakable"),
        job("hungry", mib=2000),
        job("count", wait=30),
        job("count"),
    ]
    doing, notes = work(replace(config, limit=8.0, memory=300), tmp_path)

    cells = doing.do(jobs)

    assert [cell.job for cell in cells] == jobs
    assert [cell.status for cell in cells] == [
        FAILED,
        FAILED,
        MISSING,
        FAILED,
        MEMORY,
        FAILED,
        MEMORY,
        TIMEOUT,
        OK,
    ]
    assert cells[0].reason == "ArithmeticError: nothing adds up"
    assert cells[1].reason == "a rule was broken; mend it"
    assert "pip install 'ustory[bench]'" in cells[2].reason
    assert "SIGSEGV" in cells[3].reason
    assert "killed" in cells[4].reason
    assert "TypeError" in cells[5].reason
    assert cells[6].reason.startswith("out of memory")
    assert "limit of 8 s" in cells[7].reason
    assert 8 <= cells[7].seconds < 20
    assert cells[8].result == {"articles": 122, "nan": None}
    assert notes.begun == [{"one": len(jobs)}]
    assert len(notes.cells) == len(jobs)


def test_what_is_done_is_not_done_again_and_equal_jobs_are_done_once(
    config: RunConfig, tmp_path: Path
) -> None:
    first, notes = work(config, tmp_path)
    before = first.do([job("who"), job("broken"), job("who")])
    again, later = work(config, tmp_path)

    after = again.do([job("who"), job("broken"), job("who")])

    assert after == before
    assert before[0] == before[2]
    assert notes.begun == [{"one": 2}]
    assert later.begun == [{}]


def test_a_system_has_a_process_of_its_own_with_one_thread_and_a_log(
    config: RunConfig, tmp_path: Path
) -> None:
    doing, _ = work(config, tmp_path, workers=2)

    cells = doing.do(
        [job("who"), job("who", "two"), job("count"), job("hungry", mib=1)]
    )

    assert cells[0].result["process"] != cells[1].result["process"]
    assert cells[0].result["threads"] == "1"
    assert cells[0].result["cores"] == 1
    assert cells[0].result["encoder"] == ["tiny", 32, "tiny"]
    assert "a word" in (config.logs / "two.log").read_text()


def test_many_jobs_of_a_system_are_shared_out_the_longest_share_first(
    config: RunConfig, tmp_path: Path
) -> None:
    doing, notes = work(config, tmp_path)
    many = [job("who", turn=turn) for turn in range(JOBS_PER_PROCESS + 1)]

    cells = doing.do([*many[-1:], job("count", "two"), job("count"), *many[:-1]])

    first, *rest = (cell.result["process"] for cell in (cells[0], *cells[3:]))
    assert rest[:-2] == [first] * (JOBS_PER_PROCESS - 2)
    assert rest[-2:] == [rest[-1]] * 2
    assert rest[-1] != first
    # two are more than one
    assert [cell.job.system for cell in notes.cells[JOBS_PER_PROCESS:]] == [
        "one",
        "one",
        "two",
    ]


def test_memory_is_measured_for_each_job_alone(
    config: RunConfig, tmp_path: Path
) -> None:
    doing, _ = work(config, tmp_path)

    small, large, after = doing.do(
        [job("hungry", mib=1), job("hungry", mib=200), job("hungry", mib=2)]
    )

    assert 195 <= large.peak_mib - small.peak_mib <= 260
    assert after.peak_mib < 60


def test_a_job_that_may_end_otherwise_now_is_tried_again(
    config: RunConfig, tmp_path: Path
) -> None:
    jobs = [job("count", wait=3), job("hungry", mib=200), job("without_extra")]
    tight, _ = work(replace(config, limit=1.0, memory=50), tmp_path)
    ended = [cell.status for cell in tight.do(jobs)]
    same, notes = work(replace(config, limit=1.0, memory=50), tmp_path)
    same.do(jobs)
    wide, _ = work(replace(config, limit=30.0, memory=400), tmp_path)

    assert ended == [TIMEOUT, MEMORY, MISSING]
    assert notes.begun == [{"one": 1}]  # the extra may have been installed
    assert [cell.status for cell in wide.do(jobs)] == [OK, OK, MISSING]


def test_what_is_asked_for_again_is_done_once_more_and_no_oftener(
    config: RunConfig, tmp_path: Path
) -> None:
    first, _ = work(config, tmp_path)
    before = first.do([job("who"), job("who", "two")])
    notes = Notes()
    again = Work(tmp_path / "cells.jsonl", config, 1, notes, again=["two"])

    after = again.do([job("who"), job("who", "two")])
    last = again.do([job("who"), job("who", "two")])

    assert notes.begun == [{"two": 1}, {}]
    assert after[0] == before[0]
    assert after[1] != before[1]  # another process did it
    assert last == after
    later, notes = work(config, tmp_path)
    assert later.do([job("who", "two")]) == after[1:]
    assert notes.begun == [{}]


def test_a_stream_with_a_window_of_its_own_has_cells_of_its_own(
    config: RunConfig, tmp_path: Path
) -> None:
    short = replace(config, windows={"stream": "3d"})
    first, _ = work(short, tmp_path)
    first.do([job("count")])
    everywhere = replace(config, settings=config.settings.with_({"window": "3d"}))
    same, same_notes = work(everywhere, tmp_path)
    same.do([job("count")])
    other, other_notes = work(config, tmp_path)
    other.do([job("count")])

    assert short.order(job("count")) == everywhere.order(job("count"))
    assert short.order(job("count")).settings.window == timedelta(days=3)
    assert same_notes.begun == [{}]
    assert other_notes.begun == [{"one": 1}]


def test_other_settings_are_other_cells(config: RunConfig, tmp_path: Path) -> None:
    first, _ = work(config, tmp_path)
    first.do([job("count")])
    other, notes = work(
        replace(
            config,
            settings=Settings(mode="paper", encoder="tiny", window=timedelta(days=3)),
        ),
        tmp_path,
    )

    other.do([job("count")])

    assert notes.begun == [{"one": 1}]
