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

from ustory.execute.frames import read_frame, write_frame
from ustory.execute.wire import unpack
from ustory.execute.workplace import Workplace


def main() -> None:
    """Do work until nobody gives any; then remove what was left by the driver.

    A driver that was killed cannot remove its folder of shared values itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver is asked, not its workers
    folder = Path(sys.argv[1])
    # a driver that was killed does not take the last answer
    with (
        suppress(BrokenPipeError),
        os.fdopen(os.dup(0), "rb") as given,
        os.fdopen(os.dup(1), "wb") as out,
    ):
        os.dup2(2, 1)  # whatever prints must not print into the answers
        work_on(given, out)
    shutil.rmtree(folder, ignore_errors=True)


def work_on(given: BufferedReader, out: IO[bytes]) -> None:
    """Answer each piece of work that is given."""
    workplace = Workplace()
    while (head := read_frame(given)) is not None:
        stamp, path = pickle.loads(head)
        work = read_frame(given)
        if work is None:
            return
        task = partial(unpack, work)
        write_frame(out, workplace.do(task, stamp, _mapped(path)))


def _mapped(path: str) -> Callable[[], memoryview]:
    def fetch() -> memoryview:
        with Path(path).open("rb") as file:
            # shared until written to, which nobody does: arrays that cannot be
            # written to would have every compiled loop compiled a second time
            return memoryview(mmap(file.fileno(), 0, access=ACCESS_COPY))

    return fetch


if __name__ == "__main__":
    main()
