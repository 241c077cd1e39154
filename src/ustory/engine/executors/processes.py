"""Workers that are processes of this machine; shared values are mapped, not copied."""

from __future__ import annotations

import os
import pickle
import secrets
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

from ustory.core.errors import ConfigError
from ustory.core.protocols import Shared
from ustory.engine.executors.pipe_messages import (
    KEY,
    TO_DRIVER,
    TO_WORKER,
    Signer,
    read_frame,
    widen,
    write_frame,
)
from ustory.engine.executors.pool import Pool, WorkerLostError
from ustory.engine.executors.wire import Packed
from ustory.engine.executors.worker_runtime import ALONE

_CHILD = "ustory.engine.executors.worker_process"
_MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory."""
_ROOM = 1 << 30
"""Bytes that must be free there."""


class ProcessSeat:
    """A process with pipes to it.

    It is a program of its own and not a fork: this process has threads, which a fork
    would leave in the middle of what they do.
    """

    def __init__(self, folder: Path) -> None:
        paths = [path or str(Path.cwd()) for path in sys.path]
        key, reading = _key_in_pipe()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", _CHILD, str(folder), str(reading)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(reading,),
                env={**os.environ, **ALONE, "PYTHONPATH": os.pathsep.join(paths)},
            )
        finally:
            os.close(reading)
        self._signer = Signer(key, TO_WORKER)
        self._other = Signer(key, TO_DRIVER)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            widen(pipe)

    def ask(self, work: Packed, shared: Shared[Any]) -> memoryview:
        """Return the pickled outcome of a task; raise `WorkerLostError`."""
        given, out = self.process.stdin, self.process.stdout
        assert given is not None
        assert isinstance(out, BufferedReader)
        try:
            stamp = (shared.slide, shared.number)
            write_frame(given, self._signer, pickle.dumps((stamp, shared.held)))
            write_frame(given, self._signer, *work.pieces())
            answer = read_frame(out, self._other)
        except OSError as error:
            raise WorkerLostError(str(error)) from error
        if answer is None:
            raise WorkerLostError(f"process {self.process.pid} ended")
        return answer

    def leave(self) -> None:
        """End the process."""
        # it may be busy, and has nothing to lose
        self.process.kill()
        with self.process:
            for pipe in (self.process.stdin, self.process.stdout):
                assert pipe is not None
                with suppress(BrokenPipeError):
                    pipe.close()


def _key_in_pipe() -> tuple[bytes, int]:
    """Return a new key, and the end of a pipe that a worker reads it from.

    Not in the environment or the command line, which others can list.
    """
    key = secrets.token_bytes(KEY)
    reading, writing = os.pipe()
    os.write(writing, key)
    os.close(writing)
    return key, reading


class ProcessExecutor(Pool[ProcessSeat]):
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

    def _start(self) -> ProcessSeat:
        assert self._folder is not None
        return ProcessSeat(self._folder)

    def _keep(self, slide: int, number: int, value: object) -> str:
        """Write a value into a file; those of other slides go."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="ustory-", dir=_place()))
        if slide != self._slide:
            for old in self._folder.iterdir():
                old.unlink()
        self._slide = slide
        path = self._folder / str(number)
        with path.open("xb") as file:
            file.writelines(Packed.of(value).pieces())
        return str(path)

    def close(self) -> None:
        """Let the workers go, and what was shared; it may be called twice."""
        super().close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def _place() -> Path | None:
    """Return where files are in memory; None is where temporary files are."""
    usable = os.access(_MEMORY, os.W_OK)
    # a container may have next to none of it
    return _MEMORY if usable and shutil.disk_usage(_MEMORY).free > _ROOM else None
