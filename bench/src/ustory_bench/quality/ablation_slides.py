"""The mode with smaller slides: scores in the same daily windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.progress import track

from ustory.core.spans import format_span
from ustory.engine.online import Engine
from ustory.scores.agreement import score
from ustory.scores.windows import evaluate_assignments, on_calendar
from ustory_bench.experiments.slides import told_in_slides, with_times
from ustory_bench.experiments.sweeps import block_of
from ustory_bench.quality.ablation_scores import DIGITS, METRICS, difference
from ustory_bench.quality.runs import Runs
from ustory_bench.quality.streams import parts, settings_of
from ustory_bench.runner.follow import SlideStories, rows
from ustory_bench.runner.score import PROTOCOL, duration
from ustory_bench.runner.streams import Stream

CUTS = (1, 4, 24, 96)
"""Into how many slides a day is cut: 1 d, 6 h, 1 h, 15 min."""


def slides(streams: Sequence[Stream], runs: Runs, console: Console) -> dict[str, Any]:
    """Return the scores by slide size, and how far they are from a day's."""
    found: dict[str, Any] = {}
    for stream in map(with_times, streams):
        sizes = {}
        for cut in track(CUTS, f"slides on {stream.name}", console=console):
            key = f"slides {cut} {stream.sha256} {settings_of(stream.name).window}"
            run = runs.cells.find(key)
            if run is None:
                run = measure(stream, cut)
                runs.cells.add(key, run)
            sizes[run["slide"]] = run
        whole = next(iter(sizes.values()))
        found[stream.name] = {
            "articles": len(stream.articles),
            "sizes": {
                name: _against(run, whole, block_of(settings_of(stream.name)))
                for name, run in sizes.items()
            },
        }
    return found


def measure(stream: Stream, cut: int) -> dict[str, Any]:
    """Return the scores of a run with so many slides a day, where days end."""
    usual = settings_of(stream.name)
    day = duration(usual.slide)
    settings = usual.with_({"slide": day / cut})
    engine = Engine(settings, parts()[1])
    daily: list[SlideStories] = []
    last: dict[str, str | None] = {}
    seconds = []
    for after in told_in_slides(engine, stream.articles, settings, day):
        last.update(after.stories)
        seconds.append(after.seconds)
        if on_calendar(after.end, day):
            daily.append(after)
    report = evaluate_assignments(
        stream.truth, rows(daily), duration(settings.window), day, PROTOCOL
    )
    labelled = {a: s for a, s in stream.truth.items() if s is not None}
    settled = score(list(labelled.values()), [last.get(a) for a in labelled], PROTOCOL)
    return {
        "slide": format_span(day / cut),
        "windows": {
            m: [getattr(each, m) for _, each in report.windowed.windows]
            for m in METRICS
        },
        "whole_stream": {m: getattr(settled, m) for m in METRICS},
        "slides": len(seconds),
        "seconds": round(sum(seconds), 2),
    }


def _against(run: dict[str, Any], whole: dict[str, Any], block: int) -> dict[str, Any]:
    means = {m: sum(run["windows"][m]) / len(run["windows"][m]) for m in METRICS}
    return {
        "windowed": {m: round(means[m], DIGITS) for m in METRICS},
        "whole_stream": {m: round(run["whole_stream"][m], DIGITS) for m in METRICS},
        "less": {
            m: difference(run["windows"][m], whole["windows"][m], block)
            for m in METRICS
        },
        "less_whole_stream": {
            m: round(run["whole_stream"][m] - whole["whole_stream"][m], DIGITS)
            for m in METRICS
        },
        "slides": run["slides"],
        "seconds": run["seconds"],
    }
