"""Tasks that workers of tests do; they find them by import."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.errors import InputError


def weigh(shard: Vector, weights: Vector) -> float:
    """Return a sum; small shards take longest, so that shards end out of order."""
    time.sleep(0.02 / (1 + len(shard)))
    return float(shard.sum() * weights.sum())


def refuse(shard: int, shared: None) -> int:
    """Refuse odd shards; the first to be refused is the last to say so."""
    del shared
    if shard % 2:
        time.sleep(0.1 / shard)
        raise InputError("no-text", f"shard {shard} is odd", file="stream", line=shard)
    return shard


class Unspeakable(Exception):  # noqa: N818 - the name is the point
    """An error that cannot be pickled."""

    def __init__(self) -> None:
        super().__init__("it has a lock inside")
        self.inside = (i for i in range(3))


def break_down(shard: int, shared: None) -> int:
    """Raise what no process can tell another."""
    del shard, shared
    raise Unspeakable


@dataclass(frozen=True)
class Counter:
    """Counts how often it is put together, in a folder that all workers see."""

    folder: Path

    def __setstate__(self, state: dict[str, Path]) -> None:
        """Note that this process has put one together."""
        vars(self).update(state)
        with (self.folder / str(os.getpid())).open("a") as notes:
            notes.write("|")


def look(shard: int, shared: Counter) -> int:
    """Return the number of the process, after some time."""
    del shard, shared
    time.sleep(0.05)
    return os.getpid()


def process_number(shard: int, shared: None) -> int:
    """Return the number of the process."""
    del shard, shared
    return os.getpid()


def fall(shard: int, deadly: dict[int, Path]) -> int:
    """End this process where the shard is deadly, once for each mark."""
    mark = deadly.get(shard)
    if mark is not None and mark.exists():
        mark.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return shard


def always_fall(shard: int, shared: None) -> int:
    """End this process."""
    del shard, shared
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def threads(shard: int, shared: None) -> list[int]:
    """Return how many threads each library of this process may use."""
    from threadpoolctl import threadpool_info  # noqa: PLC0415 - of the worker

    del shard, shared
    np.ones((2, 2)) @ np.ones((2, 2))
    return [library["num_threads"] for library in threadpool_info()]


def print_and_return(shard: int, shared: None) -> int:
    """Print what must not be taken for an answer."""
    del shared
    os.write(1, b"printed by a library\n")
    return shard


def is_shared(shard: int, shared: Vector) -> tuple[bool, bool, bool]:
    """Return whether an array owns its memory, is writable, and lies well."""
    del shard
    flags = shared.flags
    return flags.owndata, flags.writeable, shared.ctypes.data % 64 == 0


def lies_well(shard: Vector, shared: None) -> tuple[bool, bool, bool]:
    """Return whether the shard owns its memory, is writable, and lies well."""
    del shared
    return shard.flags.owndata, shard.flags.writeable, shard.flags.aligned


def note(shard: int, folder: Path) -> int:
    """Leave a file, and take some time."""
    (folder / str(shard)).touch()
    time.sleep(0.1)
    return shard
