"""Compile the kernels once, before many test processes need them at the same time.

`make test` runs it first: `python -m tests.warm`. Each mode is compiled by a process
of its own, because the compiler works for one caller at a time.
"""

from __future__ import annotations

import subprocess
import sys
import time

from ustory import Settings, find_stories, open_source
from ustory.sources.demo import demo_stream

_MODES = ("links", "paper")


def warm(mode: str) -> None:
    """Find the stories of the demo stream, which needs nearly all kernels of a mode."""
    stream = [arrival.article for arrival in open_source(str(demo_stream())).read()]
    find_stories(stream, Settings.paper() if mode == "paper" else Settings())


def main() -> int:
    """Compile what all modes need; what is in the cache already takes seconds."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "tests.warm"]
    running = [subprocess.Popen([*command, mode]) for mode in _MODES]
    codes = [process.wait() for process in running]
    sys.stdout.write(f"kernels compiled in {time.perf_counter() - began:.0f} s\n")
    return max(codes)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        warm(sys.argv[1])
    else:
        sys.exit(main())
