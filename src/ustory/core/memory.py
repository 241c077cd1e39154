"""Memory of this process, as the system counts it."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


def held_bytes(status: Path = _STATUS) -> int:
    """Return the bytes that the process holds now; its peak if that is not known."""
    return _read(status, "VmRSS") or peak_bytes(status)


def peak_bytes(status: Path = _STATUS) -> int:
    """Return the most bytes that the process ever held."""
    found = _read(status, "VmHWM")
    if found is not None:
        return found
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_UNIT


def data_bytes(status: Path = _STATUS) -> int:
    """Return the bytes of the data segment, which RLIMIT_DATA limits; 0 if unknown."""
    return _read(status, "VmData") or 0


def _read(status: Path, name: str) -> int | None:
    try:
        lines = status.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return None
    for line in lines:
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return None
