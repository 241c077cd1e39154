"""What an upgrade of a live archive costs: seconds, bytes, and what is refused.

`python -m ustory_bench.service.upgrade build FILE` fills a database with the release
that is on the path: a worktree of an older one, with this file copied into it.
`… measure FILE` upgrades a copy of it with the release on the path, and goes on.
"""

from __future__ import annotations

import json
import resource
import shutil
import sys
import time
from datetime import timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ustory.encode import load_encoder
from ustory.service.clock import StreamClock
from ustory.service.intake import Intake, IntakeLimits
from ustory.service.loop import Loop
from ustory.service.settings import live_settings
from ustory.store import Store
from ustory.store.upkeep import check
from ustory_bench.simulate import SimulationPlan, simulate
from ustory_bench.speed.machine import machine

RESULTS = Path(__file__).parents[3] / "results" / "upgrade.json"
ARTICLES, DAYS, SENTENCES = 100_000, 30, 4
SLIDE = timedelta(days=1)
BATCH = 1000
_MORE = 1_000


def _service(store: Store) -> tuple[Loop, Intake]:
    settings = live_settings(slide=SLIDE)
    clock = StreamClock()
    loop = Loop(store, settings, load_encoder(settings.encoder), clock)
    loop.start()
    return loop, Intake(store, loop.calendar, clock, IntakeLimits(waiting=10**6))


def _stream(articles: int) -> Any:  # noqa: ANN401 - an iterator of articles
    days = DAYS * (articles + _MORE) // articles + 1
    plan = SimulationPlan(
        articles=articles * days // DAYS, days=days, sentences=SENTENCES
    )
    return simulate(plan)


def build(path: Path, articles: int) -> None:
    """Fill a database with a simulated stream, as a service does."""
    store = Store.open(str(path))
    loop, intake = _service(store)
    stream = islice(_stream(articles), articles)
    taken = 0
    while batch := list(islice(stream, BATCH)):
        intake.accept(batch, "stream", None)
        taken += len(batch)
        told = loop.catch_up()
        sys.stderr.write(f"{taken:,} articles, {told} slides\n")
    loop.finish()
    store.close()


def measure(path: Path, articles: int) -> dict[str, Any]:
    """Return what the upgrade of a copy of a database costs."""
    with TemporaryDirectory(dir=path.parent) as folder:
        copy = Path(folder) / "archive.db"
        shutil.copy(path, copy)
        began = time.perf_counter()
        store = Store.open(str(copy))
        opened = time.perf_counter()
        loop, intake = _service(store)
        started = time.perf_counter()
        assert store.backed_up is not None
        found = {
            "articles": articles,
            "bytes_before": path.stat().st_size,
            "bytes_backup": store.backed_up.stat().st_size,
            "bytes_after": copy.stat().st_size,
            "schema_seconds": round(opened - began, 2),
            "start_seconds": round(started - opened, 2),
            "faults": check(store),
            "stories": len(loop.state.stories),
            "window": len(loop.state.records),
        }
        more = list(islice(_stream(articles), articles, articles + _MORE))
        intake.accept(more, "stream", None)
        found["slides_after"] = loop.finish()
        found["faults_after"] = check(store)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        found["peak_megabytes"] = round(usage.ru_maxrss / 1024)
        store.close()
        return found


def main(what: str, file: str, articles: str = str(ARTICLES)) -> None:
    """Do one of the two."""
    if what == "build":
        build(Path(file), int(articles))
    else:
        found = {"machine": machine(), **measure(Path(file), int(articles))}
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")
        sys.stdout.write(RESULTS.read_text())


if __name__ == "__main__":
    main(*sys.argv[1:])
