"""Upgrades a database and is killed at each statement in turn, until it is done.

`python -m tests.releases.upgrading URL` forks a process for every attempt; it kills
itself before its n-th statement that writes, or commit. A line says how each ended.
"""

from __future__ import annotations

import os
import signal
import sys

from sqlalchemy import event
from sqlalchemy.engine import Engine

from ustory.store import Store


def main(url: str) -> None:
    """Try until nothing kills it any more."""
    number = 0
    while True:
        number += 1
        process = os.fork()
        if not process:
            _upgrade(url, number)
        _, status = os.waitpid(process, 0)
        how = "killed" if os.WIFSIGNALED(status) else f"ended {status}"
        sys.stdout.write(f"{how}\n")
        sys.stdout.flush()
        if how != "killed":
            return
        if sys.stdin.readline().strip() != "again":
            return


def _upgrade(url: str, left: int) -> None:
    def count(*given: object) -> None:
        nonlocal left
        if len(given) > 2 and str(given[2]).lstrip().upper().startswith("SELECT"):
            return  # nothing is different after it
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", count)
    event.listen(Engine, "commit", count)
    try:
        Store.open(url).close()
    finally:
        os._exit(0 if sys.exc_info()[0] is None else 1)


if __name__ == "__main__":
    main(sys.argv[1])
