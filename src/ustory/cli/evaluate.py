"""`ustory evaluate`: how well found stories match the true ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import click
from rich.table import Table

from ustory.cli.console import format_option, results
from ustory.cli.outputs import read_assignments
from ustory.core.errors import ConfigError, UStoryError
from ustory.core.spans import format_span, parse_span
from ustory.core.wording import many, utc_text
from ustory.scores.agreement import METRICS, PROTOCOLS, MetricValues
from ustory.scores.identity import Follower, IdentityReport, followed
from ustory.scores.significance import Interval, Resampling, block_length, intervals
from ustory.scores.windows import Report, check_floors, evaluate_assignments, of_window
from ustory.sources.merging import merge, seen_within
from ustory.sources.open import open_source
from ustory.sources.records.problems import POLICIES, Problems

_TITLES = {
    "bcubed_precision": "B3-P",
    "bcubed_recall": "B3-R",
    "bcubed_f1": "B3-F1",
    "ami": "AMI",
    "ari": "ARI",
}


_MIN_TRUSTED_BLOCKS = 10
"""With fewer blocks, an interval is too narrow to be trusted."""


class Evaluation(NamedTuple):
    """All results of one evaluation."""

    report: Report
    identity: IdentityReport
    intervals: Mapping[str, Interval] | None
    """Of each metric's mean over windows; None on a stream too short for them."""
    how: Resampling


def print_scores(*reports: Report) -> None:
    """Print the scores of one run, under one protocol or several."""
    table = _empty_table()
    for report in reports:
        windowed, whole = report.windowed.mean, report.whole_stream
        table.add_row(report.protocol, _windows(report), *_figures(windowed))
        table.add_row(report.protocol, "the whole stream", *_figures(whole))
    results().print(table)
    results().print("\n".join(_remarks(reports[0])))


def print_evaluation(done: Evaluation) -> None:
    """Print the scores of one run with their intervals, and how identity was kept."""
    report, identity = done.report, done.identity
    table = _empty_table()
    table.add_row(report.protocol, _windows(report), *_figures(report.windowed.mean))
    spans = done.intervals or {}
    for end in ("low", "high") if spans else ():
        ends = [f"{getattr(spans[name], end):.4f}" for name in METRICS]
        table.add_row(report.protocol, f"  {done.how.confidence:.0%} {end}", *ends)
    for where, metrics in {
        "the whole stream": report.whole_stream,
        "  by first stories": identity.first,
        "  by stories at arrival": identity.arrival,
    }.items():
        table.add_row(report.protocol, where, *_figures(metrics))
    results().print(table)
    lines = [*_remarks(report), _about_intervals(done), *_identity_lines(identity)]
    results().print("\n".join(lines))


def evaluation_table(done: Evaluation) -> dict[str, Any]:
    """Return an evaluation as plain values: the scores, intervals and identity."""
    how, spans = done.how, done.intervals
    drawn = {
        "confidence": how.confidence,
        "resamples": how.resamples,
        "block_windows": block_length(done.report.window, done.report.slide),
        "windowed": {name: asdict(each) for name, each in (spans or {}).items()},
    }
    return {
        **scores_table(done.report),
        "intervals": drawn if spans else None,
        "identity": asdict(done.identity),
    }


def scores_table(report: Report) -> dict[str, Any]:
    """Return a report as plain values."""
    windows = [
        {"slide_end": utc_text(end), **asdict(score)}
        for end, score in report.windowed.windows
    ]
    return {
        "protocol": report.protocol,
        "window": format_span(report.window),
        "slide": format_span(report.slide),
        "windowed": {**asdict(report.windowed.mean), "windows": windows},
        "whole_stream": asdict(report.whole_stream),
        "full_windows": report.full_windows,
        "unlabelled": report.unlabelled,
        "missing": report.missing,
    }


def _empty_table() -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("protocol", "scored over", *_TITLES.values()):
        table.add_column(
            title, justify="right" if title in _TITLES.values() else "left"
        )
    return table


def _windows(report: Report) -> str:
    count = len(report.windowed.windows)
    kind = "windows" if report.full_windows else "windows shorter than W"
    return f"mean of {count} {kind} of {format_span(report.window)}"


def _figures(metrics: MetricValues) -> list[str]:
    return [f"{getattr(metrics, name):.4f}" for name in METRICS]


def _remarks(report: Report) -> Iterator[str]:
    whole = report.whole_stream
    yield (
        f"{many(whole.articles, 'labelled article', 'labelled articles')}, "
        f"{many(whole.stories, 'true story', 'true stories')}, {whole.found:,} found"
    )
    if report.unlabelled:
        plain = many(report.unlabelled, "article has", "articles have")
        yield f"{plain} no label, and no part in the scores"
    if report.missing:
        unseen = many(report.missing, "labelled article is", "labelled articles are")
        yield f"{unseen} in no window: unassigned over the whole stream"
    if not whole.found:
        yield "no labelled article ends in a story: nothing counts as found"
    if whole.stories == 1:
        yield "with one true story, AMI and ARI are 1 if exactly it was found, else 0"
    elif whole.stories == whole.articles:
        yield "no two articles share a true story: AMI and ARI are 1 or about 0"


def _about_intervals(done: Evaluation) -> str:
    windows = len(done.report.windowed.windows)
    span = format_span(done.report.window)
    block = block_length(done.report.window, done.report.slide)
    if done.intervals is None:
        return f"no intervals: they need {2 * block} windows, two blocks of {span}"
    few = windows < _MIN_TRUSTED_BLOCKS * block
    doubt = "; too narrow, with so few blocks" if few else ""
    return (
        f"intervals: {done.how.resamples:,} resamples of {windows:,} windows, in "
        f"blocks of {span}{doubt}"
    )


def _identity_lines(identity: IdentityReport) -> Iterator[str]:
    kept, found = identity.continuity, identity.detection
    stories = many(found.stories, "true story", "true stories")
    yield f"identity, over {stories} of two articles or more"
    if found.stories == 0:
        return
    yield (
        f"  detected {_share(found.share)}, by the second article "
        f"{_share(found.by_second_article)}; after {_number(found.mean_articles)} "
        f"articles and {_number(found.mean_hours, 1)} hours (median "
        f"{_number(found.median_articles, 1)} and {_number(found.median_hours, 1)})"
    )
    yield (
        f"  {many(kept.switches, 'id switch', 'id switches')}, "
        f"{_number(kept.switches_per_story)} per story; "
        f"{_share(kept.unswitched)} never switch"
    )
    yield (
        f"  {_number(kept.fragments_per_story)} found stories per story; "
        f"{_share(kept.in_one_piece)} in one piece"
    )
    yield f"  articles that left their first story: {identity.moved:,}"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _number(number: float | None, places: int = 2) -> str:
    return "–" if number is None else f"{number:,.{places}f}"


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
    """True stories, None without a label."""
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
