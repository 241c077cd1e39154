"""What every executor promises, whoever does the work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.executors import tasks
from tests.engine.executors.conftest import RAY, Make
from ustory.core.errors import InputError, WorkerError
from ustory.core.protocols import Shared
from ustory.core.registry import names
from ustory.engine.executors.pool import TRIES, WorkerPool
from ustory.engine.executors.processes import ProcessExecutor, ProcessWorker

APART = ["processes", RAY]
EVERY = ["inline", *APART]


def test_every_registered_executor_is_tested_here() -> None:
    assert names("executors") == ("inline", "processes", "ray")


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("name", EVERY)
def test_outcomes_come_in_the_order_of_the_shards(
    name: str, workers: int, make: Make
) -> None:
    executor = make(name, workers)
    shards = [np.arange(float(size)) for size in range(12)]
    weights = np.array([2.0, 3.0])

    found = executor.map(tasks.weigh, shards, executor.share(1, weights))

    assert found == [5.0 * shard.sum() for shard in shards]
    assert executor.map(tasks.weigh, [], executor.share(1, weights)) == []


@pytest.mark.parametrize("name", EVERY)
def test_what_is_shared_can_differ_from_call_to_call(name: str, make: Make) -> None:
    executor = make(name, 2)
    shards = [np.ones(2), np.ones(3)]
    one, two = (executor.share(7, np.array([weight])) for weight in (1.0, 2.0))

    assert executor.map(tasks.weigh, shards, one) == [2.0, 3.0]
    assert executor.map(tasks.weigh, shards, two) == [4.0, 6.0]
    assert executor.map(tasks.weigh, shards, one) == [2.0, 3.0]

    three = executor.share(8, np.array([3.0]))
    assert executor.map(tasks.weigh, shards, three) == [6.0, 9.0]


@pytest.mark.parametrize("name", EVERY)
def test_the_error_of_the_first_shard_is_raised(name: str, make: Make) -> None:
    executor = make(name, 3)
    shared = executor.share(1, None)

    with pytest.raises(InputError, match="shard 1 is odd") as caught:
        executor.map(tasks.refuse, list(range(8)), shared)

    assert (caught.value.kind, caught.value.line) == ("no-text", 1)
    assert executor.map(tasks.refuse, [2, 4], shared) == [2, 4]


@pytest.mark.parametrize("name", APART)
def test_an_error_brings_its_traceback(name: str, make: Make) -> None:
    executor = make(name, 1)

    with pytest.raises(InputError) as caught:
        executor.map(tasks.refuse, [1], executor.share(1, None))
    assert "tasks.py" in "".join(caught.value.__notes__)
    with pytest.raises(WorkerError, match="it has a lock inside") as other:
        executor.map(tasks.break_down, [1], executor.share(1, None))
    assert "in break_down" in "".join(other.value.__notes__)


@pytest.mark.parametrize("name", APART)
def test_a_value_reaches_each_worker_once_a_slide(
    name: str, make: Make, tmp_path: Path
) -> None:
    executor = make(name, 2)
    shared = executor.share(2, tasks.Counter(tmp_path))

    workers = set(executor.map(tasks.look, list(range(8)), shared))
    executor.map(tasks.look, list(range(8)), shared)

    assert len(workers) == 2
    assert {note.name: note.read_text() for note in tmp_path.iterdir()} == {
        str(worker): "|" for worker in workers
    }


@pytest.mark.parametrize("name", APART)
def test_shards_of_lost_workers_are_done_again(
    name: str, make: Make, tmp_path: Path
) -> None:
    executor = make(name, 2)
    assert isinstance(executor, WorkerPool)
    before = executor.lost
    deadly = {shard: tmp_path / str(shard) for shard in (0, 3, 4)}
    for mark in deadly.values():
        mark.touch()

    found = executor.map(tasks.fall, list(range(9)), executor.share(1, deadly))

    assert found == list(range(9))
    assert executor.lost == before + 3
    assert not any(mark.exists() for mark in deadly.values())


@pytest.mark.parametrize("name", APART)
def test_a_shard_that_no_worker_survives_is_given_up(name: str, make: Make) -> None:
    executor = make(name, 1)
    assert isinstance(executor, WorkerPool)
    shared, before = executor.share(1, None), executor.lost

    with pytest.raises(WorkerError, match="memory is short"):
        executor.map(tasks.always_fall, [1], shared)

    assert executor.lost == before + TRIES
    assert executor.map(tasks.refuse, [2], shared) == [2]


@pytest.mark.parametrize("name", APART)
def test_a_worker_has_one_thread(name: str, make: Make) -> None:
    executor = make(name, 1)

    (found,) = executor.map(tasks.threads, [1], executor.share(1, None))

    assert set(found) == {1}


@pytest.mark.parametrize("name", APART)
def test_what_a_library_prints_is_no_answer(name: str, make: Make) -> None:
    executor = make(name, 1)

    found = executor.map(tasks.print_and_return, [3], executor.share(1, None))

    assert found == [3]


@pytest.mark.parametrize("name", APART)
def test_shared_arrays_are_read_where_they_lie(name: str, make: Make) -> None:
    executor = make(name, 1)
    shared = executor.share(1, np.arange(1000.0))

    # writable, or compiled loops would be compiled for them a second time
    assert executor.map(tasks.is_shared, [1], shared) == [(False, True, True)]


@pytest.mark.parametrize("name", APART)
def test_arrays_of_a_shard_are_read_where_they_arrive(name: str, make: Make) -> None:
    executor = make(name, 1)

    found = executor.map(
        tasks.lies_well, [np.arange(30_000.0)], executor.share(1, None)
    )

    assert found == [(False, True, True)]


def process_of(executor: ProcessExecutor) -> int:
    """Return the number of the process that runs tasks."""
    (found,) = executor.map(tasks.process_number, [1], executor.share(1, None))
    return found


def test_a_worker_whose_answer_was_not_read_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(self: ProcessWorker, work: bytes, shared: Shared[Any]) -> bytes:
        del self, work, shared
        raise MemoryError

    with ProcessExecutor(1) as executor:
        first = process_of(executor)
        with monkeypatch.context() as patch:
            patch.setattr(ProcessWorker, "run", fail)
            with pytest.raises(MemoryError):
                process_of(executor)

        assert process_of(executor) != first
        assert executor.lost == 0


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to see a process")
def test_a_worker_can_be_reached_by_its_pipes_alone() -> None:
    with ProcessExecutor(1) as executor:
        files = Path(f"/proc/{process_of(executor)}/fd")
        standard = {"0", "1", "2"}
        opened = [
            str(file.readlink())
            for file in files.iterdir()
            if file.name not in standard
        ]

    assert any(name.startswith("pipe:") for name in opened)
    assert not [name for name in opened if name.startswith("socket:")]


_KILLED = """
import os, signal
from tests.engine.executors import tasks
from ustory.engine.executors.processes import ProcessExecutor

executor = ProcessExecutor(1)
shared = executor.share(1, None)
print(*executor.map(tasks.process_number, [1], shared), shared.held, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_stays_of_a_run_that_was_killed() -> None:
    """It is also a script without a `__main__` guard."""
    done = subprocess.run(
        [sys.executable, "-c", _KILLED],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    worker, path = done.stdout.split()

    until = time.monotonic() + 60
    while Path(path).parent.exists() or _runs(int(worker)):
        assert time.monotonic() < until, "the worker or its folder is still there"
        time.sleep(0.1)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_values_in_a_folder_that_others_may_write_to_are_refused() -> None:
    with ProcessExecutor(1) as executor:
        shared = executor.share(1, None)
        Path(shared.held).parent.chmod(0o777)

        with pytest.raises(WorkerError, match="open to other users"):
            executor.map(tasks.refuse, [4], shared)


def test_files_of_shared_values_go_with_their_slide() -> None:
    with ProcessExecutor(1) as executor:
        first = Path(executor.share(1, "one").held)
        same = Path(executor.share(1, "two").held)
        assert first.exists()
        assert same.exists()

        second = Path(executor.share(2, "three").held)

        assert [path.exists() for path in (first, same, second)] == [False, False, True]
    assert not second.parent.exists()


@pytest.fixture
def heeds_interrupts() -> Iterator[None]:
    """Have this process heed interrupts, also where a shell had it ignore them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_interrupts")
def test_an_interrupt_begins_no_further_shard(tmp_path: Path) -> None:
    with ProcessExecutor(2) as executor:
        shared = executor.share(1, tmp_path)
        executor.map(tasks.note, [100, 101], shared)
        main = threading.get_ident()

        def interrupt() -> None:
            while not (tmp_path / "0").exists():
                time.sleep(0.01)
            signal.pthread_kill(main, signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            executor.map(tasks.note, list(range(40)), shared)
        thread.join()

        begun = [int(path.name) for path in tmp_path.iterdir() if int(path.name) < 100]
        assert 0 < len(begun) < 40
        assert executor.map(tasks.note, [102], shared) == [102]
