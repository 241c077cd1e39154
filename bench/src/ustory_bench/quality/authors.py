"""Scores the authors' reading: python -m ustory_bench.quality.authors STREAM."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.table import Table

from ustory import Settings, load_encoder
from ustory.engine.online import Engine
from ustory.scores.windows import AssignmentRow, evaluate_assignments
from ustory.text import load_pipeline
from ustory_bench.runner.follow import follow, rows
from ustory_bench.runner.streams import Stream, read_stream

ROOT = Path(__file__).parents[4]
RESULTS = ROOT / "bench" / "results" / "authors.json"
PROTOCOLS = ("paper", "singleton")
METRICS = ("windowed_bcubed_f1", "windowed_ami", "windowed_ari")

READINGS: Mapping[str, Mapping[str, Any]] = {
    "--preset paper": {},
    "divergence = js-root-e": {"divergence": "js-root-e"},
    "seed_members = all": {"seed_members": "all"},
    "both": {"divergence": "js-root-e", "seed_members": "all"},
    "--preset authors": {
        name: value
        for name, value in Settings.authors().to_dict().items()
        if value != Settings.paper().to_dict()[name]
    },
}
"""What departs from the paper's preset in each line of the table."""


def measure(
    stream: Stream, base: Settings, seeds: Sequence[int]
) -> dict[str, dict[str, list[float]]]:
    """Return, by reading and protocol, the mean of each of `METRICS` over the seeds."""
    found: dict[str, dict[str, list[float]]] = {}
    for name, changes in READINGS.items():
        runs = [
            _scores(stream, base.with_({**changes, "seed": seed})) for seed in seeds
        ]
        found[name] = {
            protocol: [
                round(fmean(values), 4)
                for values in zip(*(run[protocol] for run in runs), strict=True)
            ]
            for protocol in PROTOCOLS
        }
    return found


def _scores(stream: Stream, settings: Settings) -> dict[str, list[float]]:
    """Return the metrics of one run under each protocol."""
    window, slide = settings.window, settings.slide
    assert isinstance(window, timedelta)
    assert isinstance(slide, timedelta)
    engine = Engine(settings, load_encoder(settings.encoder))
    assigned = list(rows(follow(engine, stream.articles, settings)))

    def figures(protocol: str) -> Mapping[str, float]:
        each: Iterator[AssignmentRow] = iter(assigned)
        return evaluate_assignments(
            stream.truth, each, window, slide, protocol
        ).figures()

    return {
        protocol: [figures(protocol)[metric] for metric in METRICS]
        for protocol in PROTOCOLS
    }


def main() -> None:
    """Measure on one stream, print the table, and add it to the results."""
    asked = _arguments()
    base = Settings.paper(window=asked.window, min_articles=asked.min_articles)
    stream = read_stream(
        asked.stream, load_pipeline(base.text), load_encoder(base.encoder)
    )
    console = Console()
    with console.status(f"measuring on {stream.name}"):
        found = measure(stream, base, asked.seeds)
    _show(console, stream.name, found)
    _write(
        asked.stream.name.partition(".")[0],
        {
            "window": asked.window,
            "min_articles": asked.min_articles,
            "seeds": asked.seeds,
            "readings": found,
        },
    )
    console.print(f"written to {RESULTS.relative_to(ROOT)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stream", type=Path, help="a labelled stream")
    parser.add_argument("--window", default="7d", help="W")
    parser.add_argument("--min-articles", type=int, default=8, help="M")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    return parser.parse_args()


def _show(
    console: Console, name: str, found: Mapping[str, Mapping[str, Sequence[float]]]
) -> None:
    table = Table("reading", *PROTOCOLS, title=f"B³-F1 / AMI / ARI, {name}")
    for reading, by_protocol in found.items():
        cells = (
            " / ".join(f"{value:.3f}" for value in by_protocol[protocol])
            for protocol in PROTOCOLS
        )
        table.add_row(reading, *cells)
    console.print(table)


def _write(name: str, measured: Mapping[str, Any]) -> None:
    """Replace what the results say of this stream, and keep the other streams."""
    results: dict[str, Any] = {}
    if RESULTS.exists():
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
    whole = dict(sorted({**results, name: measured}.items()))
    text = json.dumps(whole, indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
