"""The command writes the same files, whoever works on the slides."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.calls import FAST, PAPER, Records, Ustory, read_lines, write_lines
from ustory_bench.simulate import SimulationPlan, simulate

OUTPUTS = ("assignments", "stories", "events")
TWO = ("--executor", "processes", "--workers", "2")


def flags(name: str) -> list[str]:
    """Write all outputs, each to a file that begins with `name`."""
    return [part for each in OUTPUTS for part in (f"--{each}", f"{name}.{each}")]


def written(folder: Path, name: str) -> dict[str, str]:
    return {each: (folder / f"{name}.{each}").read_text() for each in OUTPUTS}


@pytest.mark.parametrize("kind", [FAST, PAPER], ids=["links", "paper"])
def test_processes_write_what_one_process_writes(
    kind: tuple[str, ...], ustory: Ustory, stream: Path
) -> None:
    # all in one slide: more articles than a block has
    wide = (*kind, "--window", "9d", "--slide", "9d")

    assert ustory("discover", stream, *wide, *flags("here")).exit_code == 0
    assert ustory("discover", stream, *wide, *TWO, *flags("there")).exit_code == 0

    assert written(stream.parent, "there") == written(stream.parent, "here")
    assert (stream.parent / "here.events").read_text()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--workers", "2"), "takes neither a number of workers"),
        (("--executor", "processes", "--address", "here:1"), "takes no address"),
        (("--executor", "thoughts"), "Invalid value for '--executor'"),
    ],
)
def test_flags_that_do_not_go_together_are_refused(
    given: tuple[str, ...], said: str, ustory: Ustory, stream: Path
) -> None:
    result = ustory("discover", stream, *FAST, *given)

    assert result.exit_code != 0
    assert said in " ".join(result.output.split())


def busy_news() -> Records:
    """Return four days with more articles each than a block has."""
    plan = SimulationPlan(articles=320, days=4, sentences=4)
    return [
        {
            "id": article.id,
            "published_at": article.published_at.isoformat(),
            "title": article.title,
            "text": article.text,
        }
        for article in simulate(plan)
    ]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's /proc")
def test_a_driver_that_is_killed_goes_on_from_its_last_state(
    ustory: Ustory, tmp_path: Path
) -> None:
    news, stream = busy_news(), tmp_path / "news.jsonl"
    write_lines(stream, news)
    assert ustory("discover", stream, *FAST, *flags("whole")).exit_code == 0
    write_lines(stream, news[: len(news) // 2])
    run = ("discover", str(stream), *FAST, *TWO, "--state", "s", *flags("parts"))
    assert ustory(*run).exit_code == 0
    saved = (tmp_path / "s").read_bytes()

    write_lines(stream, news)
    _kill(_begun(run, tmp_path))
    assert (tmp_path / "s").read_bytes() == saved
    assert ustory(*run).exit_code == 0

    assert written(tmp_path, "parts") == written(tmp_path, "whole")
    assert len(read_lines(tmp_path / "whole.events")) > 10


def _begun(run: tuple[str, ...], folder: Path) -> subprocess.Popen[bytes]:
    """Return a driver that has a worker at work and has not come to an end."""
    command = [sys.executable, "-c", "from ustory.cli.main import cli; cli()", *run]
    driver = subprocess.Popen(command, cwd=folder)
    while not _workers(driver.pid):
        assert driver.poll() is None, "it ended before it had a worker"
        time.sleep(0.005)
    return driver


def _kill(driver: subprocess.Popen[bytes]) -> None:
    """Kill a driver, and see that its workers end with it."""
    workers = _workers(driver.pid)
    driver.kill()
    driver.wait()
    assert driver.returncode == -signal.SIGKILL
    while any(_is_alive(worker) for worker in workers):
        time.sleep(0.05)


def _workers(driver: int) -> list[int]:
    tasks = Path(f"/proc/{driver}/task")
    found = [(task / "children").read_text() for task in tasks.glob("*")]
    return [int(number) for line in found for number in line.split()]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
