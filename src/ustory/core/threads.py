"""The number of threads that this process may use."""

from __future__ import annotations

import os

THREADS_VARIABLE = "USTORY_THREADS"
"""Environment variable that limits the threads, as those of BLAS do."""


def thread_count() -> int:
    """Return the number that the environment sets, else the number of cores.

    Workers that run side by side are started with 1.
    """
    text = os.environ.get(THREADS_VARIABLE, "")
    return max(int(text), 1) if text.isdecimal() else os.cpu_count() or 1
