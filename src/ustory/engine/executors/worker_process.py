"""A worker process: reads work from its standard input until that ends."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import BufferedReader
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from typing import IO

from ustory.core.errors import WorkerError
from ustory.engine.executors.pipe_messages import (
    KEY,
    TO_DRIVER,
    TO_WORKER,
    Signer,
    read_frame,
    write_frame,
)
from ustory.engine.executors.wire import unpack
from ustory.engine.executors.worker_runtime import Workplace


def main() -> None:
    """Do work until nobody gives any; then remove what was left by the driver.

    A driver that was killed cannot remove its folder of shared values itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver is asked, not its workers
    folder, key = Path(sys.argv[1]), _key_from(int(sys.argv[2]))
    # a driver that was killed does not take the last answer
    with (
        suppress(BrokenPipeError),
        os.fdopen(os.dup(0), "rb") as given,
        os.fdopen(os.dup(1), "wb") as out,
    ):
        os.dup2(2, 1)  # whatever prints must not print into the answers
        try:
            work_on(given, out, key, folder)
        except WorkerError as error:  # of somebody else: leave, whatever it wants
            sys.exit(str(error))
    shutil.rmtree(folder, ignore_errors=True)


def work_on(given: BufferedReader, out: IO[bytes], key: bytes, folder: Path) -> None:
    """Answer each piece of work that is given by whoever has the key."""
    workplace = Workplace()
    driver, own = Signer(key, TO_WORKER), Signer(key, TO_DRIVER)
    while (head := read_frame(given, driver)) is not None:
        stamp, path = pickle.loads(head)
        work = read_frame(given, driver)
        if work is None:
            return
        task = partial(unpack, work)
        answer = workplace.do(task, stamp, _mapped(Path(path), folder))
        write_frame(out, own, answer)


def _key_from(reading: int) -> bytes:
    with os.fdopen(reading, "rb") as pipe:
        return pipe.read(KEY)


def _mapped(path: Path, folder: Path) -> Callable[[], memoryview]:
    def fetch() -> memoryview:
        _refuse_shared(path, folder)
        with path.open("rb") as file:
            # shared until written to, which nobody does: arrays that cannot be
            # written to would have every compiled loop compiled a second time
            return memoryview(mmap(file.fileno(), 0, access=ACCESS_COPY))

    return fetch


def _refuse_shared(path: Path, folder: Path) -> None:
    """Refuse a value of a folder that others may write to: it will be unpickled."""
    about = folder.stat(follow_symlinks=False)
    if path.parent != folder or about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise WorkerError(
            f"the folder {folder} of values for workers is not this user's alone; see "
            "who changed it, or try --executor inline"
        )


if __name__ == "__main__":
    main()
