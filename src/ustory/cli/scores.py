"""Scores as a table for people and as plain values for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.table import Table

from ustory.cli.console import results
from ustory.cli.counting import many
from ustory.cli.rows import utc_text
from ustory.core.spans import format_span
from ustory.evaluate.scores import METRICS, Metrics
from ustory.evaluate.windows import Report

_TITLES = {
    "bcubed_precision": "B3-P",
    "bcubed_recall": "B3-R",
    "bcubed_f1": "B3-F1",
    "ami": "AMI",
    "ari": "ARI",
}


def print_scores(*reports: Report) -> None:
    """Print the scores of one run, under one protocol or several."""
    console = results()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("protocol", "scored over", *_TITLES.values()):
        table.add_column(
            title, justify="right" if title in _TITLES.values() else "left"
        )
    for report in reports:
        windowed, whole = report.windowed.mean, report.whole_stream
        table.add_row(report.protocol, _windows(report), *_figures(windowed))
        table.add_row(report.protocol, "the whole stream", *_figures(whole))
    console.print(table)
    _print_remarks(reports[0])


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


def _windows(report: Report) -> str:
    count = len(report.windowed.windows)
    kind = "windows" if report.full_windows else "windows shorter than W"
    return f"mean of {count} {kind} of {format_span(report.window)}"


def _figures(metrics: Metrics) -> list[str]:
    return [f"{getattr(metrics, name):.4f}" for name in METRICS]


def _print_remarks(report: Report) -> None:
    whole = report.whole_stream
    lines = [
        f"{many(whole.articles, 'labelled article', 'labelled articles')}, "
        f"{many(whole.stories, 'true story', 'true stories')}, {whole.found:,} found"
    ]
    if report.unlabelled:
        plain = many(report.unlabelled, "article has", "articles have")
        lines.append(f"{plain} no label, and no part in the scores")
    if report.missing:
        unseen = many(report.missing, "labelled article is", "labelled articles are")
        lines.append(f"{unseen} in no window: unassigned over the whole stream")
    results().print("\n".join(lines))
