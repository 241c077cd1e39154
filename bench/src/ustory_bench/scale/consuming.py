"""A process with an engine: takes slides as they come, and can go on in the middle."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.encode import load_encoder
from ustory.engine.online import Engine
from ustory.engine.prepare import Stopwatch, prepare
from ustory.engine.snapshot.states import read_file, write_state
from ustory.engine.state import State
from ustory.text import load_pipeline
from ustory.window.slides import Slicer
from ustory_bench.load.figures import resident_mib
from ustory_bench.runner.memory import forget_peak, peak_mib
from ustory_bench.scale.places import Place, wait_until
from ustory_bench.scale.producing import TOTAL
from ustory_bench.scale.runs import CHECKPOINT_EVERY, Run
from ustory_bench.scale.slides import read_slide, slide_path
from ustory_bench.simulate import SimulationPlan, simulate

_SLIDE = "slide"


@dataclass(slots=True)
class Point:
    """Where a run stands after a slide. Mutable."""

    state: State
    slide: int = 0
    inside: Mapping[str, str | None] = field(default_factory=dict)
    """The story of each article in the window."""


def consume(run: Run, mode: str, folder: Path) -> None:
    """Take all slides of a run into an engine, from the last checkpoint on."""
    place, settings = Place(folder), run.settings(mode)
    stopwatch = Stopwatch()
    engine = Engine(settings, load_encoder(settings.encoder), stopwatch)
    _warm_up(settings)
    point = _resumed(place, mode, engine)
    while True:
        number = point.slide + 1
        path = slide_path(folder, number)
        wait_until(lambda: path.exists() or place.get(TOTAL, number) < number)  # noqa: B023
        if not path.exists():
            break
        with place.turn():
            row = _advance(engine, point, path, stopwatch)
        row["rss_mib"] = round(resident_mib())  # the slide is the state's alone now
        _leave(place, mode, point, engine.assignments(point.state))
        if number % CHECKPOINT_EVERY == 0:
            row |= _checkpoint(place, mode, point, settings)
        place.note(mode, row)
        place.put(f"done-{mode}", number)
    _leave(place, mode, point, {})


def begin_at(place: Place, run: Run) -> int:
    """Return the first slide that a mode still needs, and cut what is behind it."""
    return min(_cut(place, mode) for mode in run.modes) + 1


def _cut(place: Place, mode: str) -> int:
    """Forget what was written after the last checkpoint; return its slide."""
    slide, size = 0, 0
    if place.state_path(mode).exists():
        _, _, extra = read_file(place.state_path(mode))
        slide, size = extra[_SLIDE], extra["finals"]
    rows = [row for row in place.rows(mode) if row["slide"] <= slide]
    place.rows_path(mode).unlink(missing_ok=True)
    for row in rows:
        place.note(mode, row)
    with place.finals_path(mode).open("ab") as file:
        file.truncate(size)
    place.put(f"done-{mode}", slide)
    return slide


def _resumed(place: Place, mode: str, engine: Engine) -> Point:
    path = place.state_path(mode)
    if not path.exists():
        return Point(engine.begin())
    state, _, extra = read_file(path)
    return Point(state, extra[_SLIDE], dict(engine.assignments(state)))


def _advance(
    engine: Engine, point: Point, path: Path, stopwatch: Stopwatch
) -> dict[str, Any]:
    forget_peak()
    began = time.perf_counter()
    slide = read_slide(path)
    before = dict(stopwatch.seconds)
    wall, cpu = time.perf_counter(), time.process_time()
    state, events = engine.advance(point.state, slide)
    seconds, worked = time.perf_counter() - wall, time.process_time() - cpu
    point.state, point.slide = state, point.slide + 1
    steps = {k: v - before.get(k, 0.0) for k, v in stopwatch.seconds.items()}
    return {
        "slide": point.slide,
        "articles": len(slide.articles),
        "window": len(state.records),
        "stories": len(state.stories),
        "waiting": state.waiting,
        "terms": len(state.vocabulary),
        "events": len(events),
        "seconds": round(seconds, 4),
        "cpu": round(worked, 4),
        "reading": round(wall - began, 3),
        "steps": {name: round(spent, 4) for name, spent in steps.items()},
        "peak_mib": round(peak_mib()),
    }


def _leave(
    place: Place, mode: str, point: Point, inside: Mapping[str, str | None]
) -> None:
    """Write down the story of each article that left the window."""
    gone = [one for one in point.inside if one not in inside]
    with place.finals_path(mode).open("a", encoding="utf-8") as file:
        file.writelines(f"{one}\t{point.inside[one] or ''}\n" for one in gone)
        file.flush()
        os.fsync(file.fileno())
    point.inside = dict(inside)


def _checkpoint(
    place: Place, mode: str, point: Point, settings: Settings
) -> dict[str, Any]:
    began = time.perf_counter()
    extra = {
        _SLIDE: point.slide,
        "finals": place.finals_path(mode).stat().st_size,
    }
    path = place.state_path(mode)
    write_state(path, point.state, settings, extra)
    return {
        "checkpoint": round(time.perf_counter() - began, 2),
        "checkpoint_mib": round(path.stat().st_size / 2**20),
        "checkpoint_peak_mib": round(peak_mib()),
    }


def _warm_up(settings: Settings) -> None:
    """Compile, or load, the kernels before anything is timed."""
    pipeline, encoder = load_pipeline(settings.text), load_encoder(settings.encoder)
    engine, slicer = Engine(settings, encoder), Slicer(settings)
    state = engine.begin()
    for article in simulate(SimulationPlan(articles=600, days=10, stories=30)):
        for raw in slicer.push(article):
            ready = prepare(raw.articles, pipeline, encoder, Stopwatch())
            state, _ = engine.advance(state, Slide(end=raw.end, articles=ready))
