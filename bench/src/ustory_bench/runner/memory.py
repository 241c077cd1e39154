"""How much memory a job takes, measured in its own process, and how much it may."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")
_FORGET = Path("/proc/self/clear_refs")
_MIB = 2**20


def held_mib() -> float:
    """Return what memory the process holds, in MiB, when all it can spare is given up.

    What was left behind before would count as the next job's otherwise.
    """
    gc.collect()
    with suppress(OSError, AttributeError):  # other C libraries have no such call
        ctypes.CDLL(None).malloc_trim(0)
    return _status("VmRSS") or peak_mib()


def forget_peak() -> None:
    """Forget how much memory the process took before.

    Where the system cannot forget, the peak stays that of the whole process, and a
    job after a hungrier one shows too much: then it is an upper bound.
    """
    with suppress(OSError):
        _FORGET.write_text("5", encoding="ascii")


def peak_mib() -> float:
    """Return the most memory that the process held since `forget_peak`, in MiB."""
    found = _status("VmHWM")
    if found is not None:
        return found
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / _MIB if sys.platform == "darwin" else peak / 1024


@contextmanager
def at_most(mib: int | None) -> Iterator[None]:
    """Let the process take so much more than it has; beyond is a MemoryError."""
    if mib is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = int(((_status("VmData") or 0.0) + mib) * _MIB)
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _status(name: str) -> float | None:
    """Return an entry of the process's status in MiB, None where there is none."""
    try:
        text = _STATUS.read_text(encoding="ascii")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith(f"{name}:"):
            return float(line.split()[1]) / 1024
    return None
