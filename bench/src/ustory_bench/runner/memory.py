"""How much memory a job takes, measured in its own process, and how much it may."""

from __future__ import annotations

import ctypes
import gc
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ustory.core.memory import data_bytes, held_bytes, peak_bytes

_FORGET = Path("/proc/self/clear_refs")
_MIB = 2**20


def held_mib() -> float:
    """Return what memory the process holds, in MiB, when all it can spare is given up.

    What was left behind before would count as the next job's otherwise.
    """
    gc.collect()
    with suppress(OSError, AttributeError):  # other C libraries have no such call
        ctypes.CDLL(None).malloc_trim(0)
    return held_bytes() / _MIB


def forget_peak() -> None:
    """Forget how much memory the process took before.

    Where the system cannot forget, the peak stays that of the whole process, and a
    job after a hungrier one shows too much: then it is an upper bound.
    """
    with suppress(OSError):
        _FORGET.write_text("5", encoding="ascii")


def peak_mib() -> float:
    """Return the most memory that the process held since `forget_peak`, in MiB."""
    return peak_bytes() / _MIB


@contextmanager
def at_most(mib: int | None) -> Iterator[None]:
    """Let the process take so much more than it has; beyond is a MemoryError."""
    if mib is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = data_bytes() + mib * _MIB
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
