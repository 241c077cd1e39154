"""What runs came to: laws, scores and memory, and the file they are kept in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ustory.core.spans import format_span
from ustory.scores.agreement import bcubed, label_unassigned
from ustory_bench.scale.places import Place
from ustory_bench.scale.producing import PRODUCER
from ustory_bench.scale.running import ELAPSED, PEAK_ALL
from ustory_bench.scale.runs import Run
from ustory_bench.simulate.plan import VERSION, SimulationPlan
from ustory_bench.simulate.schedule import schedule_articles
from ustory_bench.simulate.stories import cast_stories
from ustory_bench.simulate.stream import story_label
from ustory_bench.speed.machine import machine

_PROTOCOL = "singleton"


def outcome(run: Run, place: Place) -> dict[str, Any]:
    """Return what a finished run came to."""
    made = place.rows(PRODUCER)
    plan = run.plan
    return {
        "articles": plan.articles,
        "stories": plan.story_count,
        "days": run.days,
        "sentences": plan.sentences,
        "simulator": VERSION,
        "slide": format_span(run.slide),
        "machine": machine(),
        "seconds": place.get(ELAPSED, 0),
        "peak_all_mib": place.get(PEAK_ALL, 0),
        "side by side": not run.quiet,
        "preparing": {
            "articles_per_cpu_second": round(
                sum(row["articles"] for row in made) / sum(row["cpu"] for row in made),
                1,
            ),
            "peak_mib": max(row["rss_mib"] for row in made),
        },
        "modes": {mode: _mode(run, place, mode) for mode in run.modes},
    }


def _mode(run: Run, place: Place, mode: str) -> dict[str, Any]:
    rows = place.rows(mode)
    full = rows[run.full - 1 :] or rows
    peaks = [max(r["peak_mib"], r.get("checkpoint_peak_mib", 0)) for r in rows]
    return {
        "settings": _told(mode),
        "window": round(median(row["window"] for row in full)),
        "arriving": round(median(row["articles"] for row in full)),
        "stories": round(median(row["stories"] for row in full)),
        "slide_seconds": round(median(row["seconds"] for row in full), 4),
        "slide_cpu_seconds": round(median(row["cpu"] for row in full), 4),
        "slowest_seconds": round(max(row["seconds"] for row in full), 4),
        "steps": _steps(full),
        "articles_per_second": round(
            sum(row["articles"] for row in rows) / sum(row["seconds"] for row in rows),
            1,
        ),
        "peak_mib": max(row["peak_mib"] for row in rows),
        "peak_with_checkpoints_mib": max(peaks),
        "rss_mib": [row["rss_mib"] for row in rows],
        "peaks_mib": [row["peak_mib"] for row in rows],
        "seconds": [row["seconds"] for row in rows],
        "windows": [row["window"] for row in rows],
        "growth": growth(rows, run.full),
        "whole_stream": score(run.plan, place.finals_path(mode)),
    }


def growth(rows: Sequence[Mapping[str, Any]], full: int) -> float | None:
    """Return the most memory of the last third over that of the second week."""
    second = [row["peak_mib"] for row in rows[full : 2 * full]]
    last = [row["peak_mib"] for row in rows[-(len(rows) // 3) :]]
    if len(rows) < 4 * full:
        return None
    return round(float(max(last) / max(second)), 3)


def score(plan: SimulationPlan, finals: Path) -> dict[str, float]:
    """Return B-cubed of the last story of each article of a stream."""
    told = schedule_articles(plan, cast_stories(plan)).story.tolist()
    found: list[str | None] = [None] * plan.articles
    with finals.open(encoding="utf-8") as file:
        for line in file:
            article, _, story = line.rstrip("\n").partition("\t")
            found[int(article.removeprefix("sim-"))] = story or None
    truth = [story_label(plan, story) for story in told]
    precision, recall, f1 = bcubed(truth, label_unassigned(found, _PROTOCOL))
    return {
        "bcubed_precision": round(precision, 4),
        "bcubed_recall": round(recall, 4),
        "bcubed_f1": round(f1, 4),
        "unassigned": found.count(None),
        "found": len(set(found) - {None}),
    }


def law(runs: Sequence[Mapping[str, Any]], mode: str) -> dict[str, Any]:
    """Return how a slide grows with the window: the exponent of each step's time."""
    cells = [run["modes"][mode] for run in runs]
    windows = [cell["window"] for cell in cells]
    steps = sorted(set.intersection(*(set(cell["steps"]) for cell in cells)))
    return {
        "windows": windows,
        "seconds": [cell["slide_seconds"] for cell in cells],
        "exponent": exponent(windows, [cell["slide_seconds"] for cell in cells]),
        "cpu_exponent": exponent(
            windows, [cell["slide_cpu_seconds"] for cell in cells]
        ),
        "steps": {
            step: exponent(windows, [cell["steps"][step] for cell in cells])
            for step in steps
        },
        "mib_per_1000_articles": _slope(windows, [cell["peak_mib"] for cell in cells]),
    }


def exponent(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return b of the fit y ∝ x^b; None where something took no time.

    >>> exponent([1, 10, 100], [2, 20, 200])
    1.0
    """
    if len(x) < 2 or min(y) <= 0:
        return None
    return round(float(np.polyfit(np.log(x), np.log(y), 1)[0]), 3)


def kept(path: Path) -> dict[str, Any]:
    """Return the results that there are."""
    found: dict[str, Any] = {}
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
    return found


def keep(path: Path, name: str, found: Mapping[str, Any]) -> None:
    """Write a part of the results down, beside the others and other modes of it."""
    there = kept(path)
    modes = {**there.get(name, {}).get("modes", {}), **found.get("modes", {})}
    there[name] = {**found, "modes": modes} if modes else dict(found)
    text = json.dumps(dict(sorted(there.items())), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def _told(mode: str) -> str:
    return "the defaults" if mode == "links" else "preset paper, M = 8"


def _steps(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    names = sorted({name for row in rows for name in row["steps"]})
    return {
        name: round(median(row["steps"].get(name, 0.0) for row in rows), 4)
        for name in names
    }


def _slope(x: Sequence[float], y: Sequence[float]) -> float | None:
    if len(x) < 2:
        return None
    return round(1000 * float(np.polyfit(x, y, 1)[0]), 2)
