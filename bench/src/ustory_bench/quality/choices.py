"""Scores each open choice: python -m ustory_bench.quality.choices STREAM [options]."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Console
from rich.table import Table

from ustory import Article, Discovery, Settings, load_encoder, open_source
from ustory.scores.windows import AssignmentRow, evaluate_assignments
from ustory.text import load_pipeline

ROOT = Path(__file__).parents[4]
RESULTS = ROOT / "bench" / "results" / "choices.json"
PROTOCOL = "paper"
METRIC = "windowed_bcubed_f1"
BASE = Settings.paper(
    min_articles=2,
    divergence="js-root",
    story_span="story",
    seed_restarts=10,
    seed_steps=0,
    initial="own-theme",
)
"""What every choice is measured against: one field at a time departs from it."""

CHOICES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "divergence": {
        "js-root": {},
        "js": {"divergence": "js"},
        "kl": {"divergence": "kl"},
        "emd": {"divergence": "emd"},
    },
    "story_span": {"story": {}, "window": {"story_span": "window"}},
    "seed_restarts": {
        "1": {"seed_restarts": 1},
        "3": {"seed_restarts": 3},
        "10": {},
    },
    "seed_steps": {"0": {}, "5": {"seed_steps": 5}},
    "initial": {"own-theme": {}, "mean": {"initial": "mean"}},
    "ablation": {
        "full": {},
        "without time": {"time_aware": False},
        "without theme": {"theme_aware": False},
        "without both": {"time_aware": False, "theme_aware": False},
    },
}


class Stream:
    """A labelled stream and the parts that every run on it shares."""

    def __init__(self, path: Path) -> None:
        source = open_source(str(path))
        self.articles: Sequence[Article] = [one.article for one in source.read()]
        self._encoder = load_encoder(BASE.encoder)
        self._pipeline = load_pipeline(BASE.text)
        self._known: dict[Settings, float] = {}

    def score(self, settings: Settings) -> float:
        """Return the score of a run, which is made once for each settings."""
        if settings not in self._known:
            self._known[settings] = self._run(settings)
        return self._known[settings]

    def _run(self, settings: Settings) -> float:
        discovery = Discovery(settings, encoder=self._encoder, pipeline=self._pipeline)
        window, slide = settings.window, settings.slide
        assert isinstance(window, timedelta)
        assert isinstance(slide, timedelta)
        truth = {article.id: article.label for article in self.articles}
        report = evaluate_assignments(
            truth, self._rows(discovery), window, slide, PROTOCOL
        )
        return report.figures()[METRIC]

    def _rows(self, discovery: Discovery) -> Iterator[AssignmentRow]:
        for results in (discovery.add(self.articles), discovery.finish()):
            for result in results:
                stories = discovery.engine.assignments(result.state)
                for article, story in stories.items():
                    yield AssignmentRow(result.slide.end, article, story)


def measure(
    stream: Stream, choices: Sequence[str], seeds: Sequence[int]
) -> dict[str, dict[str, Any]]:
    """Return, by choice and value, the score of each seed and their mean."""
    results: dict[str, dict[str, Any]] = {}
    for choice in choices:
        results[choice] = {}
        for value, changes in CHOICES[choice].items():
            scores = [stream.score(BASE.with_({**changes, "seed": s})) for s in seeds]
            results[choice][value] = {
                "mean": round(mean(scores), 4),
                "by seed": [round(score, 4) for score in scores],
            }
    return results


def main() -> None:
    """Measure on one stream, print the table, and add it to the results."""
    asked = _arguments()
    console = Console()
    with console.status(f"measuring on {asked.stream.name}"):
        found = measure(Stream(asked.stream), asked.choices, asked.seeds)
    _show(console, asked.stream.name, found)
    _write(asked.stream.name, {"seeds": asked.seeds, "choices": found})
    console.print(f"written to {RESULTS.relative_to(ROOT)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stream", type=Path, help="a labelled stream")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument(
        "--choices", nargs="+", choices=list(CHOICES), default=list(CHOICES)
    )
    return parser.parse_args()


def _show(console: Console, name: str, found: Mapping[str, Mapping[str, Any]]) -> None:
    table = Table("choice", "value", "mean", "by seed", title=f"{METRIC}, {name}")
    for choice, values in found.items():
        for value, scores in values.items():
            by_seed = "  ".join(f"{score:.4f}" for score in scores["by seed"])
            table.add_row(choice, value, f"{scores['mean']:.4f}", by_seed)
    console.print(table)


def _write(name: str, measured: Mapping[str, Any]) -> None:
    """Replace what the results say of this stream, and keep the other streams."""
    results: dict[str, Any] = {"streams": {}}
    if RESULTS.exists():
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
    streams = {**results["streams"], name: measured}
    whole = {
        "metric": METRIC,
        "protocol": PROTOCOL,
        "settings": BASE.to_dict(),
        "streams": dict(sorted(streams.items())),
    }
    RESULTS.parent.mkdir(exist_ok=True)
    text = json.dumps(whole, indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
