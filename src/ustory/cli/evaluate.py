"""`ustory evaluate`: how well found stories match the true ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import click

from ustory.cli.formats import format_option
from ustory.cli.rows import read_assignments
from ustory.cli.scores import Evaluation, evaluation_table, print_evaluation
from ustory.core.errors import ConfigError, UStoryError
from ustory.core.spans import parse_span
from ustory.scores.floors import check_floors
from ustory.scores.follow import Follower
from ustory.scores.identity import followed
from ustory.scores.protocols import PROTOCOLS
from ustory.scores.significance import Resampling, intervals
from ustory.scores.span import of_window
from ustory.scores.windows import evaluate_assignments
from ustory.sources.merging import merge, seen_within
from ustory.sources.open import open_source
from ustory.sources.records.problems import POLICIES, Problems


@click.command()
@click.argument("stream")
@click.argument("assignments")
@format_option
@click.option(
    "--protocol",
    type=click.Choice(PROTOCOLS),
    default="singleton",
    show_default=True,
    help="Unassigned articles: each its own story, or all one, as the paper has it.",
)
@click.option("--window", default="7d", show_default=True, help="Window of the run.")
@click.option("--slide", default="1d", show_default=True, help="Slide of the run.")
@click.option(
    "--floor",
    "floors",
    multiple=True,
    metavar="NAME=VALUE",
    help="Fail under this score, such as windowed_bcubed_f1=0.8.",
)
@click.option(
    "--on-error",
    type=click.Choice(POLICIES),
    default="stop",
    show_default=True,
    help="What to do with a bad record of STREAM.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def evaluate(stream: str, assignments: str, **options: Any) -> None:  # noqa: ANN401
    """Score ASSIGNMENTS against the labels of STREAM.

    ASSIGNMENTS is what `ustory discover --assignments` wrote for STREAM.
    """
    floors = _read_floors(options["floors"])
    window, slide = (_duration(options, name) for name in ("window", "slide"))
    rows = read_assignments(assignments)
    truth = read_truth(stream, options["on_error"], window, slide, options["read_as"])
    checked = of_window(rows, truth.dates, window, slide)
    follower = Follower(truth.labels, truth.dates)
    report = evaluate_assignments(
        truth.labels, checked, window, slide, options["protocol"], follower.see
    )
    identity = followed(follower, options["protocol"])
    short = check_floors(report.figures() | identity.figures(), floors)
    how = Resampling()
    done = Evaluation(report, identity, intervals(report, how), how)
    if options["as_json"]:
        click.echo(json.dumps(evaluation_table(done) | {"under_floor": short}))
    else:
        print_evaluation(done)
    if short:
        raise UStoryError(" ".join(short))


class Truth(NamedTuple):
    """What a labelled stream says of its articles, by id."""

    labels: dict[str, str | None]
    """True stories, None where there is none."""
    dates: dict[str, datetime]
    """Publication dates, of ids that come once."""


def read_truth(
    path: str,
    policy: str,
    window: timedelta,
    slide: timedelta,
    read_as: str | None = None,
) -> Truth:
    """Return the labels and dates of a stream, read as a run with this window does."""
    problems = Problems(policy)
    seen = seen_within(window, slide)
    stream = merge([open_source(path, problems, kind=read_as)], {}, problems, seen)
    truth, twice = Truth({}, {}), set()
    for _, arrival in stream:
        article = arrival.article
        if article.id in truth.labels:
            twice.add(article.id)
        truth.labels[article.id] = article.label
        truth.dates[article.id] = article.published_at
    for article_id in twice:
        del truth.dates[article_id]
    return truth


def _read_floors(pairs: Sequence[str]) -> Mapping[str, float]:
    floors: dict[str, float] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        try:
            floors[name.strip()] = float(text)
        except ValueError:
            raise ConfigError(
                f"--floor takes NAME=VALUE, like windowed_bcubed_f1=0.8; got {pair!r}"
            ) from None
    return floors


def _duration(options: Mapping[str, Any], name: str) -> timedelta:
    span = parse_span(options[name])
    if not isinstance(span, timedelta):
        raise ConfigError(
            f"--{name} must be a duration like 7d, because scores follow the calendar; "
            f"got {options[name]!r}"
        )
    return span
