"""Names the machine, and calibrates it."""

from __future__ import annotations

import os
import platform
import time
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from ustory_bench.runner.machine import processor


def machine() -> dict[str, object]:
    """Return what the numbers were measured on."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "matrix_product_ms": round(calibration() * 1000, 2),
    }


def calibration() -> float:
    """Return the seconds of a 1000 x 1000 float32 matrix product on one thread.

    The median of 21, so that a busy machine shows.
    """
    rows = np.random.default_rng(0).random((1000, 1000), dtype=np.float32)
    times = []
    with threadpool_limits(1):
        for _ in range(21):
            start = time.perf_counter()
            rows @ rows
            times.append(time.perf_counter() - start)
    return median(times)
