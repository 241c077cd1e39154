"""Holds simulated streams against real ones: python -m ustory_bench.simulate.facts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from rich.console import Console

from ustory.core.article import PreparedArticle
from ustory.core.spans import format_span
from ustory.engine.prepare import Stopwatch, prepare
from ustory.sources.open import open_source
from ustory_bench.describe.facts import facts_of
from ustory_bench.describe.texts import Facts
from ustory_bench.quality.streams import ROOT, parts, place_of, settings_of
from ustory_bench.runner.score import duration, score_system
from ustory_bench.runner.streams import Stream, prepare_stream, stream_name
from ustory_bench.simulate.plan import SimulationPlan
from ustory_bench.simulate.stream import simulate
from ustory_bench.system import find_system

RESULTS = ROOT / "bench" / "results" / "facts.json"
REAL = ("newswarp-a", "ground-2025", "emergent-a", "allsides-2018")
"""Labelled streams of whole articles: simulated ones should be among them."""
UNLABELLED = ("load-6000",)
"""Real articles beside, for what can be said without labels."""
PLAN = SimulationPlan(articles=1_500, days=30)
"""As large as the real streams, and as `ustory simulate` makes it else."""
SEEDS = (0, 1, 2)
EASIER = replace(PLAN, twins=0.0)
"""The same stream without its hardest pairs, for its scores."""
SYSTEM = "ustory-links"
_DIGITS = 4
_FIGURES = ("windowed_bcubed_f1", "whole_stream_bcubed_f1")


def main() -> None:
    """Measure streams, and write down what was found."""
    asked = _arguments()
    console = Console(highlight=False, soft_wrap=True)
    found: dict[str, Any] = {"streams": {}, "simulated": {}, "articles": PLAN.articles}
    if RESULTS.exists():
        found |= json.loads(RESULTS.read_text(encoding="utf-8"))
    for path in asked.streams or _present():
        name = stream_name(Path(path))
        found["streams"][name] = measured_file(Path(path), name)
        console.print(name, found["streams"][name])
    for seed in SEEDS:
        stream = simulated(seed)
        facts = measured(stream, stream.articles)
        found["simulated"][str(seed)] = {**facts, "sha256": stream.sha256}
        console.print(stream.name, found["simulated"][str(seed)])
    easier = prepare_stream("simulated without twins", simulate(EASIER), *parts())
    found["without_twins"] = _scores(easier, duration(settings_of("").window))
    found["days"] = PLAN.days
    text = json.dumps(found, indent=1, sort_keys=True)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    console.print(f"written to {RESULTS.relative_to(ROOT)}")


def simulated(seed: int) -> Stream:
    """Return a simulated stream to measure; each seed is another."""
    plan = replace(PLAN, seed=seed)
    return prepare_stream(f"simulated-{seed}", simulate(plan), *parts())


def measured_file(path: Path, name: str) -> dict[str, Any]:
    """Return what is measured of the stream in a file, labelled or not."""
    articles = [arrival.article for arrival in open_source(str(path)).read()]
    if any(article.label for article in articles):
        stream = replace(prepare_stream(name, articles, *parts()), name=name)
        return measured(stream, stream.articles)
    articles.sort(key=lambda one: (one.published_at, one.id))
    return measured(None, tuple(prepare(articles, *parts(), Stopwatch())), name)


def measured(
    stream: Stream | None, articles: Sequence[PreparedArticle], name: str = ""
) -> dict[str, Any]:
    """Return the facts of articles, and what the default mode scores on a stream."""
    settings = settings_of(stream.name if stream else name)
    window = duration(settings.window)
    found: dict[str, Any] = {
        "articles": len(articles),
        "window": format_span(window),
        "facts": _rounded(facts_of(articles, window)),
    }
    if stream is not None:
        found["scores"] = _scores(stream, window)
    return found


def _scores(stream: Stream, window: timedelta) -> dict[str, float]:
    settings = settings_of(stream.name).with_({"window": format_span(window)})
    done = score_system(find_system(SYSTEM), stream, settings, parts()[1])
    windows = [score for _, score in done.report.windowed.windows]
    figures = {name: done.report.figures()[name] for name in _FIGURES}
    for side in ("bcubed_precision", "bcubed_recall"):
        each = [getattr(score, side) for score in windows]
        figures[f"windowed_{side}"] = sum(each) / len(each)
    return {name: round(value, _DIGITS) for name, value in figures.items()}


def _rounded(facts: Facts) -> Facts:
    return {
        name: None if value is None else round(value, _DIGITS)
        for name, value in facts.items()
    }


def _present() -> list[str]:
    found = (place_of(name) for name in (*REAL, *UNLABELLED))
    return [str(path) for path in found if path is not None]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "streams",
        nargs="*",
        metavar="STREAM",
        help=f"files; {', '.join((*REAL, *UNLABELLED))} by default, where they are",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
