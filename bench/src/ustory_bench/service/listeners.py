"""What listeners cost the engine: the same slides, with many of them and with none."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from sqlalchemy import func, select

from ustory.store import Store
from ustory.store.tables import articles, slides
from ustory_bench.service.audience import audience
from ustory_bench.service.filling import Say
from ustory_bench.service.running import serving
from ustory_bench.simulate import SimulationPlan, simulate

LISTENERS = 200
ROUNDS = 4
MOST = 0.05
_ARTICLES, _DAYS, _SENTENCES, _SLIDE = 1_500, 15, 6, "3h"


def measure(
    folder: Path, say: Say, listeners: int = LISTENERS, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Let services tell the same articles, with listeners and without, in turns.

    Streams are served by one thread, whose work a busy machine does not change. What
    it works more for listeners is the most that the engine can lose: both share one
    interpreter. The listeners are there before the articles, in another process.
    """
    lines = _lines()
    rows = []
    for turn in range(rounds):
        # who comes first changes: machines slow down and speed up
        for many in (0, listeners) if turn % 2 == 0 else (listeners, 0):
            rows.append(_round(folder, lines, many))
            say(str(rows[-1]))
    none = [row for row in rows if not row["listeners"]]
    some = [row for row in rows if row["listeners"]]
    more = _median(some, "answering_seconds") - _median(none, "answering_seconds")
    cost = more / _median(none, "slide_seconds")
    result = {
        "articles": _ARTICLES,
        "rounds": rows,
        "cost": round(cost, 4),
        "most": MOST,
        "holds": cost < MOST,
    }
    for name in ("slide_seconds", "cpu_seconds"):
        result[f"{name}_ratio"] = round(_median(some, name) / _median(none, name), 3)
    return result


def _median(rows: Sequence[dict[str, Any]], name: str) -> float:
    return float(median(row[name] for row in rows))


def _lines() -> str:
    """Return the articles as a file holds them."""
    made = simulate(
        SimulationPlan(articles=_ARTICLES, days=_DAYS, sentences=_SENTENCES)
    )
    records = [
        {
            "id": article.id,
            "title": article.title,
            "text": article.text,
            "published_at": article.published_at.isoformat(),
            "source": article.source,
        }
        for article in made
    ]
    return "".join(json.dumps(record) + "\n" for record in records)


def _round(folder: Path, lines: str, many: int) -> dict[str, Any]:
    source = folder / f"stream-{time.time_ns()}.jsonl"
    database = source.with_suffix(".db")
    source.write_text("", encoding="utf-8")
    arguments = (
        *(str(source), "--as-of-articles", "--slide", _SLIDE),
        # all of them come from one address, without a key
        *("--limit", "per_address=900", "--limit", "listeners_per_address=900"),
    )
    with (
        serving(database, arguments) as server,
        audience(server.address, many) as heard,
    ):
        cpu, answering = server.cpu(), server.answering()
        source.write_text(lines, encoding="utf-8")
        slide_seconds = _wait(database)
        cpu, answering = server.cpu() - cpu, server.answering() - answering
        time.sleep(2)  # for the last to be heard
        size = heard.size.value
    return {
        "listeners": many,
        "answering_seconds": round(answering, 3),
        "cpu_seconds": round(cpu, 2),
        "slide_seconds": round(slide_seconds, 2),
        "megabytes_heard": round(size / 1e6, 1),
    }


def _wait(database: Path) -> float:
    """Wait until all is told; return the seconds that all slides took."""
    store = Store.open(str(database))
    closed = select(func.count()).where(slides.c.status == "closed")
    while True:
        with store.read() as connection:
            there = connection.execute(select(func.count(articles.c.id))).scalar_one()
            behind = connection.execute(closed).scalar_one()
            found = connection.execute(select(slides.c.seconds)).scalars().all()
        if there == _ARTICLES and not behind:
            store.close()
            return float(sum(one.get("total", 0.0) for one in found))
        time.sleep(0.25)
