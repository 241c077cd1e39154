"""The measurements: steps, growth with W and with stories, summaries, memory."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ustory import Article, Discovery, Settings, open_source
from ustory.core.article import PreparedArticle
from ustory.engine.state import State
from ustory_bench.load.figures import resident_mib
from ustory_bench.speed.stream import (
    STEPS,
    Measured,
    again,
    full,
    prepared,
    run,
    spread,
)

Table = list[dict[str, Any]]


def whole_run(path: Path, settings: Settings) -> dict[str, Any]:
    """Return the speed from the file to the stories, reading included.

    Beside it the median milliseconds of text and encoding in a slide.
    """
    discovery = Discovery(settings)
    slides: list[dict[str, float]] = []
    count = 0

    def articles() -> Iterator[Article]:
        nonlocal count
        for arrival in open_source(str(path)).read():
            count += 1
            yield arrival.article

    start = time.perf_counter()
    before: dict[str, float] = {}
    for results in (discovery.add(articles()), discovery.finish()):
        for _ in results:
            now = dict(discovery.stopwatch.seconds)
            slides.append({step: now[step] - before.get(step, 0.0) for step in now})
            before = now
    seconds = time.perf_counter() - start
    return {
        "articles": count,
        "seconds": round(seconds, 2),
        "articles_per_second": round(count / seconds, 1),
        "text ms a slide": _ms([slide["text"] for slide in slides]),
        "encoding ms a slide": _ms([slide["encoding"] for slide in slides]),
        "steps s": {k: round(v, 3) for k, v in discovery.stopwatch.seconds.items()},
    }


def steps(ready: Sequence[PreparedArticle], settings: Settings) -> Table:
    """Return the median milliseconds of each step over full windows, three runs.

    Articles are prepared before; `term numbers` is what is left of text.
    """
    found: list[Measured] = []
    for _ in range(3):
        found += full([one for one, _ in run(ready, settings)], settings)
    rows = [
        {"step": step, "ms": _ms([one.seconds.get(step, 0.0) for one in found])}
        for step in STEPS
    ]
    rows.append({"step": "slide", "ms": _ms([one.total for one in found])})
    rows.append(
        {"step": "term numbers", "ms": _ms([one.seconds["text"] for one in found])}
    )
    return rows


def growth(ready: Sequence[PreparedArticle], settings: Settings) -> dict[str, Any]:
    """Return the time per slide for W = 1, 2, 5, 10 days, and the fitted exponent."""
    rows = []
    for days in (1, 2, 5, 10):
        longer = settings.with_({"window": timedelta(days=days)})
        found = full([one for one, _ in run(ready, longer)], longer)
        rows.append(
            {
                "W days": days,
                "articles": found[-1].articles,
                "unassigned": _whole([one.unassigned for one in found]),
                "stories": _whole([one.stories for one in found]),
                "ms": _ms([one.total for one in found]),
            }
        )
    return {"rows": rows, "exponent": _exponent(rows, "articles", "ms")}


def stories(ready: Sequence[PreparedArticle], settings: Settings) -> dict[str, Any]:
    """Return the time of assignment against the pairs it must look at, N_C · N_W."""
    rows = []
    for least in (4, 6, 8, 12, 16):
        other = settings.with_({"min_articles": least})
        found = full([one for one, _ in run(ready, other)], other)
        count = _whole([one.stories for one in found])
        waiting = _whole([one.unassigned for one in found])
        rows.append(
            {
                "M": least,
                "stories": count,
                "unassigned": waiting,
                "pairs": count * waiting,
                "assignment ms": _ms([one.seconds["assignment"] for one in found]),
                "ms": _ms([one.total for one in found]),
            }
        )
    return {"rows": rows, "exponent": _exponent(rows, "pairs", "assignment ms")}


def summaries(ready: Sequence[PreparedArticle], settings: Settings) -> Table:
    """Return the size of the story summaries against panes x stories (Theorem 2).

    The articles are spread over their days, so that finer panes split them.
    """
    ready = spread(ready)
    rows = []
    for hours in (24, 12, 6, 3):
        finer = settings.with_({"pane": timedelta(hours=hours)})
        *_, (_, state) = run(ready, finer)
        cells = sum(len(story.panes) for story in state.stories.values())
        rows.append(
            {
                "pane h": hours,
                "panes x stories": len(state.days) * len(state.stories),
                "story panes": cells,
                "vectors KiB": _kib(state, "vectors"),
                "terms KiB": _kib(state, "terms") + _kib(state, "tf"),
                "KiB per story pane": round(_kib(state, "vectors") / max(cells, 1), 2),
            }
        )
    return rows


def memory(articles: Sequence[Article], settings: Settings) -> Table:
    """Return resident memory after each slide, over the stream twice in a row."""
    days = timedelta(
        days=1 + (articles[-1].published_at - articles[0].published_at).days
    )
    discovery = Discovery(settings)
    rows: Table = []
    for part in (articles, again(articles, days, "again-")):
        for result in discovery.add(part):
            gc.collect()
            rows.append(
                {
                    "slide": len(rows) + 1,
                    "articles": len(result.state.records),
                    "terms": len(result.state.vocabulary),
                    "MiB": round(resident_mib()),
                }
            )
    return rows


def warm_up(ready: Sequence[PreparedArticle], settings: Settings) -> None:
    """Compile the kernels before anything is timed."""
    for _ in run(ready[:1000], settings):
        pass


def prepare_all(
    articles: Sequence[Article], settings: Settings
) -> list[PreparedArticle]:
    """Return the prepared stream, shared by the tables."""
    return prepared(articles, settings)


def _ms(seconds: Sequence[float]) -> float:
    return round(median(seconds) * 1000, 1)


def _whole(numbers: Sequence[int]) -> int:
    return round(median(numbers))


def _exponent(rows: Table, x: str, y: str) -> float:
    """Return b of the fit y ∝ x^b."""
    slope = np.polyfit(
        np.log([row[x] for row in rows]), np.log([row[y] for row in rows]), 1
    )[0]
    return round(float(slope), 2)


def _kib(state: State, name: str) -> int:
    panes = (pane for story in state.stories.values() for pane in story.panes.values())
    size: int = sum(getattr(pane, name).nbytes for pane in panes)
    return size // 1024
