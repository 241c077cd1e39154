"""How long a slide takes in the mode, and in the paper's preset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from rich.console import Console

from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory.engine.prepare import Stopwatch, prepare
from ustory.sources import open_source
from ustory_bench.quality.runs import Runs
from ustory_bench.quality.streams import parts, place_of, settings_of
from ustory_bench.runner.follow import follow
from ustory_bench.runner.streams import Stream

LOAD = "load-6000"
"""A stream of 500 articles a day, without labels; used where it is present."""
_WARM = 40
_DIGITS = 3


def speed(streams: Sequence[Stream], runs: Runs, console: Console) -> dict[str, Any]:
    """Return the seconds of slides that brought articles, in both modes."""
    found = {}
    for name, articles in (*((s.name, s.articles) for s in streams), *_load()):
        with console.status(f"seconds on {name}"):
            found[name] = measure(articles, settings_of(name))
    return found


def measure(articles: Sequence[PreparedArticle], usual: Settings) -> dict[str, Any]:
    """Return medians and the median ratio, of slides that brought articles."""
    paper = Settings.paper(min_articles=2).with_({"window": usual.window})
    arrivals = {one.article.id for one in articles}
    times = []
    for settings in (usual, paper):
        _seconds(articles[:_WARM], settings)
        times.append(_seconds(articles, settings))
    ours, theirs = times
    assert ours.keys() == theirs.keys(), "both modes have the same slides"
    busy = [end for end, (new, _) in ours.items() if new]
    ratios = [ours[end][1] / theirs[end][1] for end in busy]
    return {
        "articles": len(arrivals),
        "slides": len(busy),
        "mode_ms": _ms(ours[end][1] for end in busy),
        "paper_ms": _ms(theirs[end][1] for end in busy),
        "median_ratio": round(median(ratios), _DIGITS),
        "total_ratio": round(
            sum(ours[end][1] for end in busy) / sum(theirs[end][1] for end in busy),
            _DIGITS,
        ),
        "mode_longest_ms": round(1000 * max(ours[end][1] for end in busy), 1),
        "paper_longest_ms": round(1000 * max(theirs[end][1] for end in busy), 1),
    }


def _seconds(
    articles: Sequence[PreparedArticle], settings: Settings
) -> dict[str, tuple[int, float]]:
    """Return how many articles each slide brought, and its seconds."""
    seen: set[str] = set()
    found = {}
    for after in follow(Engine(settings, parts()[1]), articles, settings):
        new = after.stories.keys() - seen
        seen |= new
        found[after.end.isoformat()] = (len(new), after.seconds)
    return found


def _ms(seconds: Iterable[float]) -> float:
    return round(1000 * median(seconds), 2)


def _load() -> list[tuple[str, Sequence[PreparedArticle]]]:
    path = place_of(LOAD)
    if path is None:
        return []
    articles = [arrival.article for arrival in open_source(str(path)).read()]
    articles.sort(key=lambda one: (one.published_at, one.id))
    pipeline, encoder = parts()
    return [(LOAD, tuple(prepare(articles, pipeline, encoder, Stopwatch())))]
