"""`ustory demo`: everything at once, on a stream that ships with the package."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from ustory.cli.console import results
from ustory.cli.demo_languages import print_languages, say_if_missing
from ustory.cli.evaluate import print_scores, read_truth
from ustory.cli.explain import explain_article, print_explanation
from ustory.cli.outputs import read_assignments
from ustory.cli.plan import RunPlan, run_plan
from ustory.cli.report import Summary, print_summary
from ustory.core.settings import Settings
from ustory.scores.agreement import PROTOCOLS
from ustory.scores.windows import Report, evaluate_assignments
from ustory.sources.demo import (
    EXPLAINED,
    EXPLAINED_LANGUAGES,
    demo_stream,
    languages_stream,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Demo:
    """A stream to show, and what is said around it."""

    stream: Path
    explained: str
    stories: str
    """The first title; the others are the same, but for the article explained."""
    why: str
    serve: str
    """The command that shows the same news as pages."""


_ONE = _Demo(
    stream=demo_stream(),
    explained=EXPLAINED,
    stories="The stories in two weeks of invented news (preset default: articles "
    "that probably report the same story are linked)",
    why="Why is this article where it is, while two earthquakes are in the news?",
    serve="ustory serve --demo",
)
_LANGUAGES = _Demo(
    stream=languages_stream(),
    explained=EXPLAINED_LANGUAGES,
    stories="The stories in five days of invented news in six languages (preset "
    "default: articles that probably report the same story are linked)",
    why=_ONE.why,
    serve="ustory serve --demo --languages",
)
_NEXT = """\
What to do next:
  {serve:<49}the same news as a living page
  ustory discover NEWS.jsonl --state news.state    the stories in your own articles
  ustory explain ARTICLE --state news.state        why an article is where it is
  ustory discover --help                           windows, presets, outputs
  ustory encoders                                  other sentence encoders"""


@click.command()
@click.option("--languages", is_flag=True, help="Show a stream in six languages.")
def demo(languages: bool) -> None:
    """Find, explain and score the stories in a small stream of invented news."""
    shown = _LANGUAGES if languages else _ONE
    with TemporaryDirectory(prefix="ustory-demo-") as folder:
        state, assignments = Path(folder) / "state", Path(folder) / "assignments.jsonl"
        plan = RunPlan(
            files=(str(shown.stream),),
            state=state,
            outputs={"assignments": assignments},
        )
        _title(shown.stories)
        began = time.perf_counter()
        session = run_plan(plan)
        print_summary(Summary.of(session, began))
        if languages:
            _title("In which languages is each story?")
            print_languages(session.discovery)
            say_if_missing()
        _title(shown.why)
        print_explanation(explain_article(state, shown.explained))
        _title("How well do the stories found match the true ones?")
        print_scores(
            *(_score(shown.stream, assignments, protocol) for protocol in PROTOCOLS)
        )
    results().print("\n" + _NEXT.format(serve=shown.serve))


def _title(text: str) -> None:
    results().print(f"\n{text}\n", style="bold cyan")


def _score(stream: Path, assignments: Path, protocol: str) -> Report:
    window, slide = Settings().window, Settings().slide
    assert isinstance(window, timedelta)
    assert isinstance(slide, timedelta)
    truth = read_truth(str(stream), "stop", window, slide).labels
    rows = read_assignments(str(assignments))
    return evaluate_assignments(truth, rows, window, slide, protocol)
