"""Scores as a table for people and as plain values for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from rich.table import Table

from ustory.cli.console import results
from ustory.core.spans import format_span
from ustory.core.wording import many, utc_text
from ustory.scores.identity import IdentityReport
from ustory.scores.label_scores import METRICS, Metrics
from ustory.scores.significance import Interval, Resampling, block_length
from ustory.scores.windows import Report

_TITLES = {
    "bcubed_precision": "B3-P",
    "bcubed_recall": "B3-R",
    "bcubed_f1": "B3-F1",
    "ami": "AMI",
    "ari": "ARI",
}


_FEW_BLOCKS = 10
"""With fewer, an interval by blocks is too narrow to be taken at its word."""


class Evaluation(NamedTuple):
    """All that one evaluation says of a run."""

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


def _figures(metrics: Metrics) -> list[str]:
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
        yield "no labelled article is in a story at last: nothing counts as found"
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
    few = windows < _FEW_BLOCKS * block
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
