"""`ustory demo`: everything at once, on a stream that ships with the package."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from ustory.cli.console import results
from ustory.cli.evaluate import print_scores, read_truth
from ustory.cli.explain import explain_article, print_explanation
from ustory.cli.outputs import read_assignments
from ustory.cli.plan import RunPlan, run_plan
from ustory.cli.report import Summary, print_summary
from ustory.core.settings import Settings
from ustory.scores.agreement import PROTOCOLS
from ustory.scores.windows import Report, evaluate_assignments
from ustory.sources.demo import EXPLAINED, demo_stream

_NEXT = """\
What to do next:
  ustory serve --demo                              the same news as a living page
  ustory discover NEWS.jsonl --state news.state    the stories in your own articles
  ustory explain ARTICLE --state news.state        why an article is where it is
  ustory discover --help                           windows, presets, outputs
  ustory encoders                                  other sentence encoders"""


@click.command()
def demo() -> None:
    """Find, explain and score the stories in a small stream of invented news."""
    with TemporaryDirectory(prefix="ustory-demo-") as folder:
        state, assignments = Path(folder) / "state", Path(folder) / "assignments.jsonl"
        plan = RunPlan(
            files=(str(demo_stream()),),
            state=state,
            outputs={"assignments": assignments},
        )
        _title(
            "The stories in two weeks of invented news (preset default: articles "
            "that probably report the same story are linked)"
        )
        began = time.perf_counter()
        print_summary(Summary.of(run_plan(plan), began))
        _title(
            "Why is this article where it is, while two earthquakes are in the news?"
        )
        print_explanation(explain_article(state, EXPLAINED))
        _title("How well do the stories found match the true ones?")
        print_scores(*(_score(assignments, protocol) for protocol in PROTOCOLS))
    results().print(f"\n{_NEXT}")


def _title(text: str) -> None:
    results().print(f"\n{text}\n", style="bold cyan")


def _score(assignments: Path, protocol: str) -> Report:
    window, slide = Settings().window, Settings().slide
    assert isinstance(window, timedelta)
    assert isinstance(slide, timedelta)
    truth = read_truth(str(demo_stream()), "stop", window, slide).labels
    rows = read_assignments(str(assignments))
    return evaluate_assignments(truth, rows, window, slide, protocol)
