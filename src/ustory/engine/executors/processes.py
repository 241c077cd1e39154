"""Workers that are processes of this machine; shared values are mapped, not copied."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from concurrent.futures.process import BrokenProcessPool
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from threading import Thread
from typing import Any

from ustory.core.errors import ConfigError, WorkerError
from ustory.core.protocols import Shared
from ustory.engine.executors.packing import pack
from ustory.engine.executors.pool import WorkerLostError, WorkerPool
from ustory.engine.executors.worker_runtime import SINGLE_THREAD_ENV, WorkerRuntime

_ENV = {
    **SINGLE_THREAD_ENV,
    "PYTHONSAFEPATH": "1",  # a file of the working directory is no module of a worker
    "LOKY_MAX_MEMORY_LEAK_SIZE": "1e18",  # shared values are mapped, and no leak
}
_MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory."""
_MIN_FREE = 1 << 30
"""Bytes that must be free there."""
_runtime = WorkerRuntime()
"""Used in workers only."""


class ProcessWorker:
    """A process that loky starts and that talks to this process by pipes.

    A pool of loky breaks as a whole when a process ends, so each process is a pool.
    """

    def __init__(self) -> None:
        from loky import ProcessPoolExecutor  # noqa: PLC0415 - most runs need none

        self.pool = ProcessPoolExecutor(
            1, env=_ENV, initializer=_prepare_process, initargs=(os.getpid(),)
        )

    def run(self, work: bytes, shared: Shared[Any]) -> bytes:
        """Return the pickled outcome of a task; raise `WorkerLostError`."""
        stamp = (shared.slide, shared.number)
        try:
            future = self.pool.submit(_run_here, work, stamp, shared.held)
            answer: bytes = future.result()
        except BrokenProcessPool as error:
            raise WorkerLostError(str(error)) from error
        return answer

    def terminate(self) -> None:
        """End the process; it is idle, or gone."""
        self.pool.shutdown()


class ProcessExecutor(WorkerPool):
    """Runs tasks in processes of this machine, by default one for each core."""

    name = "processes"

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        if address is not None:
            raise ConfigError(
                f"the executor processes runs on this machine and takes no address, "
                f"got {address!r}; leave it out, or choose --executor ray"
            )
        super().__init__(workers if workers is not None else os.cpu_count() or 1)
        self._folder: Path | None = None
        self._slide: int | None = None

    def _start(self) -> ProcessWorker:
        return ProcessWorker()

    def _store(self, slide: int, number: int, value: object) -> str:
        """Write a value into a file; delete those of other slides."""
        if self._folder is None:
            self._folder = _new_folder()
        if slide != self._slide:
            for old in self._folder.iterdir():
                old.unlink()
        self._slide = slide
        path = self._folder / str(number)
        with path.open("xb") as file:
            file.writelines(pack(value))
        return str(path)

    def close(self) -> None:
        """End the workers and delete what was shared; it may be called twice."""
        super().close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            _tracker().unregister(str(self._folder), "folder")
            self._folder = None


def _new_folder() -> Path:
    """Return a new folder, in memory if there is room, that outlives no crash."""
    usable = os.access(_MEMORY, os.W_OK)
    # a container may have next to none of it
    in_memory = usable and shutil.disk_usage(_MEMORY).free > _MIN_FREE
    place = _MEMORY if in_memory else None
    folder = Path(tempfile.mkdtemp(prefix="ustory-", dir=place))
    _tracker().register(str(folder), "folder")
    return folder


def _tracker() -> Any:  # noqa: ANN401 - an untyped package
    """Return loky's process that deletes folders whose owner was killed."""
    from loky.backend import resource_tracker  # noqa: PLC0415 - most runs need none

    return resource_tracker


def _prepare_process(driver: int) -> None:
    """Have a worker ignore Ctrl-C, keep standard output clean, and end with its run."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides when to stop
    os.dup2(2, 1)  # what a library prints must not mix with the output of the run
    Thread(target=_end_with, args=(driver,), daemon=True).start()


def _end_with(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(1)
    os._exit(1)


def _run_here(work: bytes, stamp: tuple[int, int], path: str) -> bytes:
    return _runtime.run(work, stamp, lambda: _mapped(Path(path)))


def _mapped(path: Path) -> memoryview:
    """Map a shared value; it will be unpickled, so nobody else may have written it."""
    about = path.parent.stat(follow_symlinks=False)
    if about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise WorkerError(
            f"the folder {path.parent} of values for workers is open to other users; "
            "find out who changed it, or try --executor inline"
        )
    with path.open("rb") as file:
        # a private mapping that may be written to, though nobody does: numba would
        # compile every loop a second time for read-only arrays
        return memoryview(mmap(file.fileno(), 0, access=ACCESS_COPY))
