"""Names the machine that numbers were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path


def machine() -> dict[str, str | int | float]:
    """Return what times and memory depend on; nothing that names its owner."""
    return {
        "processor": processor(),
        "cores": os.cpu_count() or 1,
        "memory_gib": _memory_gib(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


def processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gib() -> float:
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return round(pages * size / 2**30, 1)
