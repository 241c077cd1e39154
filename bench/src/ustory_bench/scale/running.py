"""Runs a stream: one process prepares, one process for each mode has an engine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

from ustory_bench.scale.consuming import begin_at, consume
from ustory_bench.scale.places import Place
from ustory_bench.scale.producing import PRODUCER, TOTAL, done_by_all, produce
from ustory_bench.scale.runs import Run
from ustory_bench.scale.slides import slide_path

ELAPSED, PEAK_ALL = "elapsed", "peak-all-mib"
_TICK = 1.0
_GONE = "a process of the run ended too early; what is done is kept: run it again"


def carry_out(run: Run, folder: Path, tell: Callable[[str], None]) -> Place:
    """Run a stream to its end, from where an earlier try stopped."""
    place = Place(folder)
    if finished(place, run):
        return place
    (folder / TOTAL).unlink(missing_ok=True)
    first = begin_at(place, run)
    _forget_slides(folder, 1, first)
    tell(f"{run.name}: {run.plan.articles:,} articles, from slide {first} on")
    context = get_context("spawn")
    maker = context.Process(target=produce, args=(run, folder, first), name=PRODUCER)
    engines = [
        context.Process(target=consume, args=(run, mode, folder), name=mode)
        for mode in run.modes
    ]
    if run.quiet:
        _watch(place, run, [maker], tell)
        _watch(place, run, engines, tell)
    else:
        _watch(place, run, [maker, *engines], tell)
    _forget_slides(folder, 1, int(place.get(TOTAL, 0)) + 1)
    return place


def finished(place: Place, run: Run) -> bool:
    """Return whether a run has been to its end."""
    total = place.get(TOTAL, 0)
    return 0 < total <= done_by_all(place, run)


def _watch(
    place: Place,
    run: Run,
    processes: Sequence[BaseProcess],
    tell: Callable[[str], None],
) -> None:
    """Start processes and wait for them; stop all where one fails."""
    for process in processes:
        process.start()
    told = done_by_all(place, run)
    at = time.monotonic()
    try:
        while any(process.is_alive() for process in processes):
            time.sleep(_TICK)
            if any(process.exitcode for process in processes):
                raise SystemExit(_GONE)
            at = _note(place, processes, at)
            done = done_by_all(place, run)
            _forget_slides(place.folder, told, done + 1)
            if done > told:
                told = done
                tell(_progress(place, run, done))
        if any(process.exitcode for process in processes):
            raise SystemExit(_GONE)
    finally:
        for process in processes:
            if process.is_alive():
                process.terminate()
            process.join()


def _note(place: Place, processes: Sequence[BaseProcess], at: float) -> float:
    """Note the time that went by, and the most memory of all processes together."""
    held = sum(_resident_mib(process.pid) for process in processes)
    if held > place.get(PEAK_ALL, 0):
        place.put(PEAK_ALL, round(held))
    now = time.monotonic()
    place.put(ELAPSED, round(place.get(ELAPSED, 0) + now - at, 1))
    return now


def _resident_mib(number: int | None) -> float:
    try:
        text = Path(f"/proc/{number}/statm").read_text(encoding="ascii")
        return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, IndexError):
        return 0.0  # it has just ended


def _forget_slides(folder: Path, first: int, end: int) -> None:
    for number in range(first, end):
        slide_path(folder, number).unlink(missing_ok=True)


def _progress(place: Place, run: Run, done: int) -> str:
    parts = []
    for mode in run.modes:
        row = next(row for row in place.rows(mode) if row["slide"] == done)
        parts.append(
            f"{mode} {row['seconds']:.1f} s, {row['rss_mib'] / 1024:.2f} GiB "
            f"(most {row['peak_mib'] / 1024:.2f})"
        )
    return f"{run.name}: slide {done} of {run.slides}; {'; '.join(parts)}"
