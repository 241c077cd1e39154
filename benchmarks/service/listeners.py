"""What listeners cost the engine: the same slides, with many of them and with none."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from benchmarks.service.audience import audience
from benchmarks.service.filling import Say
from benchmarks.service.running import Process, serving
from sqlalchemy import select

from ustory.encode import load_encoder
from ustory.serve.assembly import Plan as ServicePlan
from ustory.serve.assembly import assemble
from ustory.simulate import Plan, simulate
from ustory.store import Store
from ustory.store.schema import slides

LISTENERS = 200
ROUNDS = 5
MOST = 1.05
_ARTICLES, _DAYS, _SENTENCES, _SLIDE = 2_000, 20, 6, "3h"
_BATCH = 500


def measure(
    folder: Path, say: Say, listeners: int = LISTENERS, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Let services catch up with the same slides, with listeners and without, in turns.

    The listeners' own process is not counted. What they cost the engine at most is
    the processor time that the service needs more: both share one interpreter.
    """
    waiting = folder / "waiting.db"
    _take_in(waiting)
    rows = []
    for turn in range(rounds):
        # who comes first changes: machines slow down and speed up
        for many in (0, listeners) if turn % 2 == 0 else (listeners, 0):
            rows.append(_round(waiting, many))
            say(str(rows[-1]))
    result: dict[str, Any] = {"articles": _ARTICLES, "rounds": rows}
    for name in ("cpu_seconds", "slide_seconds", "wall_seconds"):
        none, some = (
            [r[name] for r in rows if bool(r["listeners"]) == w] for w in (False, True)
        )
        result[f"{name}_ratio"] = round(median(some) / median(none), 4)
        result[f"{name}_ratio_of_least"] = round(min(some) / min(none), 4)
    ratio = min(result["cpu_seconds_ratio"], result["cpu_seconds_ratio_of_least"])
    return result | {"most": MOST, "holds": ratio < MOST}


def _take_in(database: Path) -> None:
    """Put the articles into a database, in slides that wait to be told."""
    database.unlink(missing_ok=True)
    store = Store.open(str(database))
    plan = ServicePlan(
        by_articles=True, changes={"slide": _SLIDE}, waiting=2 * _ARTICLES
    )
    service = assemble(store, plan, load_encoder)
    service.prepare()
    made = Plan(articles=_ARTICLES, days=_DAYS, sentences=_SENTENCES)
    stream = list(simulate(made))
    for start in range(0, _ARTICLES, _BATCH):
        service.intake.accept(stream[start : start + _BATCH], "made")
    service.intake.close_open()
    store.close()


def _round(waiting: Path, many: int) -> dict[str, Any]:
    database = waiting.with_name("listened.db")
    shutil.copyfile(waiting, database)
    with serving(database, ("--as-of-articles", "--max-waiting", "10000")) as server:
        cpu, start = server.cpu(), time.perf_counter()
        with audience(server.address, many) as heard:
            _wait(server)
            wall, cpu = time.perf_counter() - start, server.cpu() - cpu
            time.sleep(1)
            size = heard.size.value
    return {
        "listeners": many,
        "cpu_seconds": round(cpu, 2),
        "wall_seconds": round(wall, 2),
        "slide_seconds": round(_engine(database), 2),
        "megabytes_heard": round(size / 1e6, 1),
    }


def _wait(server: Process) -> None:
    with httpx.Client(base_url=server.address, timeout=60) as client:
        while client.get("/readyz").json()["behind"]:
            time.sleep(0.2)


def _engine(database: Path) -> float:
    """Return the seconds of all slides, as the service itself counted them."""
    store = Store.open(str(database))
    with store.read() as connection:
        found = connection.execute(select(slides.c.seconds)).scalars().all()
    store.close()
    return float(sum(one.get("total", 0.0) for one in found))
