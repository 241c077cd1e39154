"""The first hours of a new engine: python -m ustory_bench.quality.cold_start STREAM.

From every fifth day of a labelled stream on, an engine that knows nothing reads two
days in slides of an hour. What it has after some hours is scored beside what an engine
has that read all days before, on the same articles.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.online import Engine
from ustory.scores.agreement import score
from ustory_bench.experiments.slides import with_times
from ustory_bench.quality.streams import (
    ROOT,
    labelled,
    load_labelled,
    parts,
    settings_of,
)
from ustory_bench.runner.follow import prepared_slides
from ustory_bench.runner.score import PROTOCOL
from ustory_bench.runner.streams import Stream
from ustory_bench.speed.machine import machine

RESULTS = ROOT / "bench" / "results" / "cold-start.json"
HOURS = (1, 2, 4, 8, 12, 24, 48)
"""After so many hours the stories are scored."""
EVERY = 5
"""Of the days of a stream that have articles, each fifth is begun at."""
DIGITS = 4

_HOUR = timedelta(hours=1)
_METRICS = ("bcubed_f1", "bcubed_precision", "bcubed_recall")

Found = Mapping[tuple[datetime, int], Mapping[str, str | None]]
"""By a start and the hours since: the story of each article that came since then."""


def measured(stream: Stream, settings: Settings) -> dict[str, Any]:
    """Return the scores of cold engines and of a warm one, by hours since the start."""
    stream, hourly = with_times(stream), settings.with_({"slide": "1h"})
    starts = starts_of(stream)
    cold = {key: each for s in starts for key, each in _cold(stream, hourly, s)}
    warm = dict(_warm(stream, hourly, starts))
    return {
        "window": settings.to_dict()["window"],
        "articles": len(stream.articles),
        "starts": len(starts),
        "hours": {str(h): _scores(stream, (cold, warm), starts, h) for h in HOURS},
    }


def starts_of(stream: Stream) -> list[datetime]:
    """Return the midnights before every fifth day that has articles."""
    days = sorted({_midnight(one) for one in stream.articles})
    return days[::EVERY]


def _midnight(one: PreparedArticle) -> datetime:
    day = one.article.published_at.astimezone(UTC).date()
    return datetime.combine(day, time(), tzinfo=UTC)


def _cold(
    stream: Stream, settings: Settings, start: datetime
) -> Iterator[tuple[tuple[datetime, int], Mapping[str, str | None]]]:
    """Yield what an engine has that begins with a day."""
    engine = Engine(settings, parts()[1])
    state, coming = engine.begin(), _since(stream, start, max(HOURS))
    for hour in range(1, max(HOURS) + 1):
        end = start + hour * _HOUR
        new = [one for one in coming if end - _HOUR <= one.article.published_at < end]
        if new or state.records:
            state, _ = engine.advance(state, Slide(end=end, articles=new))
        if hour in HOURS:
            yield (start, hour), dict(engine.assignments(state))


def _warm(
    stream: Stream, settings: Settings, starts: Sequence[datetime]
) -> Iterator[tuple[tuple[datetime, int], Mapping[str, str | None]]]:
    """Yield what an engine has at the same moments that has read the whole stream."""
    engine, published = Engine(settings, parts()[1]), stream.published
    state = engine.begin()
    moments = sorted((start + h * _HOUR, start, h) for start in starts for h in HOURS)
    ends = [*prepared_slides(stream.articles, settings), None]
    for slide in ends:
        while moments and (slide is None or moments[0][0] < slide.end):
            _, start, hour = moments.pop(0)
            placed = engine.assignments(state).items()
            yield (start, hour), {a: s for a, s in placed if published[a] >= start}
        if slide is not None and (slide.articles or state.records):
            state, _ = engine.advance(state, slide)


def _since(stream: Stream, start: datetime, hours: int) -> list[PreparedArticle]:
    end = start + hours * _HOUR
    return [one for one in stream.articles if start <= one.article.published_at < end]


def _scores(
    stream: Stream, found: tuple[Found, Found], starts: Sequence[datetime], hours: int
) -> dict[str, Any]:
    """Return the scores after some hours, over the articles of all starts together.

    Stories of two starts are different ones. An article without a story is one by
    itself; `alone` are the scores if all were.
    """
    truth = stream.truth
    came = [
        (place, start, one.article.id)
        for place, start in enumerate(starts)
        for one in _since(stream, start, hours)
        if truth[one.article.id] is not None
    ]
    labels = [f"{place} {truth[name]}" for place, _, name in came]
    held = Counter(labels)
    told: dict[str, Any] = {
        "articles": len(came),
        "shared": sum(held[label] > 1 for label in labels),
        "alone": _score(labels, [None] * len(came)),
    }
    for what, each in zip(("cold", "warm"), found, strict=True):
        stories = [each[start, hours].get(name) for _, start, name in came]
        named = [
            None if story is None else f"{place} {story}"
            for (place, _, _), story in zip(came, stories, strict=True)
        ]
        told[what] = _score(labels, named)
    return told


def _score(
    labels: Sequence[str], stories: Sequence[str | None]
) -> dict[str, float | None]:
    if not labels:
        return dict.fromkeys(_METRICS)
    result = score(labels, stories, PROTOCOL)
    return {metric: round(getattr(result, metric), DIGITS) for metric in _METRICS}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure on streams, print the scores, and write the results."""
    asked, console = _arguments(arguments), Console()
    about = {}
    for name in asked.streams:
        with console.status(f"measuring on {name}"):
            about[name] = measured(load_labelled(name), settings_of(name))
    whole = {"machine": machine(), "protocol": PROTOCOL, "streams": about}
    _show(console, about)
    asked.results.parent.mkdir(parents=True, exist_ok=True)
    asked.results.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    console.print(f"written to {asked.results}", soft_wrap=True)


def _show(console: Console, streams: Mapping[str, Any]) -> None:
    table = Table(
        "stream", "hours", "articles", "alone F1", "cold F1 P R", "warm F1 P R"
    )
    for name, each in streams.items():
        for hour, row in each["hours"].items():
            both = (
                " ".join(str(row[what][metric]) for metric in _METRICS)
                for what in ("cold", "warm")
            )
            alone = str(row["alone"]["bcubed_f1"])
            table.add_row(name, hour, str(row["articles"]), alone, *both)
    console.print(table)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("streams", nargs="*", metavar="STREAM", help="by name")
    parser.add_argument("--results", type=Path, default=RESULTS, help="what to write")
    asked = parser.parse_args(given)
    asked.streams = asked.streams or list(labelled())
    if not asked.streams:
        parser.error("no labelled stream is here; name one: demo or simulated")
    return asked


if __name__ == "__main__":
    main()
