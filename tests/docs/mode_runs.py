"""How mode `links` does by slide, time and encoder, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.docs.measured import grid, number, results

FILE = "ablations.json"
Table = Mapping[str, Any]


def slides(page: Path) -> str:
    """Return the scores by slide size."""
    head = [
        "", "slides", "windowed B³-F1", "less 1 d's", "whole stream B³-F1",
        "less 1 d's", "seconds",
    ]  # fmt: skip
    rows = []
    for stream, each in results(FILE)["slides"].items():
        for size, run in each["sizes"].items():
            rows.append(
                [
                    f"`{stream}`, S = {size}",
                    f"{run['slides']:,}",
                    number(run["windowed"]["bcubed_f1"]),
                    difference(run["less"]["bcubed_f1"]),
                    number(run["whole_stream"]["bcubed_f1"]),
                    f"{run['less_whole_stream']['bcubed_f1']:+.3f}",
                    number(run["seconds"], 1),
                ]
            )
    return grid(head, rows)


def speed(page: Path) -> str:
    """Return the seconds of slides in both modes."""
    head = [
        "", "busy slides", "`links`, median ms", "`paper`, median ms",
        "median ratio", "ratio of totals", "longest, ms",
    ]  # fmt: skip
    rows = [
        [
            f"`{stream}`", f"{each['slides']:,}", number(each["mode_ms"], 1),
            number(each["paper_ms"], 1), number(each["median_ratio"], 2),
            number(each["total_ratio"], 2),
            f"{number(each['mode_longest_ms'], 0)} against "
            f"{number(each['paper_longest_ms'], 0)}",
        ]
        for stream, each in results(FILE)["speed"].items()
    ]  # fmt: skip
    return grid(head, rows)


def encoders(page: Path) -> str:
    """Return the scores by encoder."""
    head = [
        "", "windowed B³-F1", "less `wordllama`'s", "whole stream B³-F1", "ARI",
        "AP of pairs",
    ]  # fmt: skip
    rows = []
    for stream, table in results(FILE)["encoders"].items():
        for name, each in table.items():
            less = each.get("less", {}).get("bcubed_f1")
            rows.append(
                [
                    f"`{stream}`, `{name}`",
                    with_interval(
                        each["windowed"]["bcubed_f1"],
                        each["intervals"].get("bcubed_f1"),
                    ),
                    difference(less) if less else "–",
                    number(each["whole_stream"]["bcubed_f1"]),
                    number(each["whole_stream"]["ari"]),
                    number(each.get("pairs")),
                ]
            )
    return grid(head, rows)


def errors(page: Path) -> str:
    """Return the worst stories with their causes."""
    told = []
    for stream, worst in results(FILE)["errors"].items():
        rows = [
            [
                f"`{each['story']}`", str(each["articles"]), str(each["pieces"]),
                number(each["precision"], 2), number(each["recall"], 2),
                number(each["f1"], 2), each["cause"],
            ]
            for each in worst
        ]  # fmt: skip
        head = ["true story", "articles", "pieces", "P", "R", "F1", "cause"]
        told.append(f"**`{stream}`**\n\n{grid(head, rows)}")
    return "\n\n".join(told)


def with_interval(value: float, ends: Sequence[float] | None) -> str:
    """Return a score, with its interval where there is one."""
    span = f" ({number(ends[0])} to {number(ends[1])})" if ends else ""
    return number(value) + span


def difference(less: Table) -> str:
    """Return a difference with its sign and interval; a dash where it is itself."""
    if less["mean"] == 0 and less["interval"] in (None, [0, 0]):
        return "–"
    ends = less["interval"]
    span = f" ({ends[0]:+.3f} to {ends[1]:+.3f})" if ends else ""
    return f"{less['mean']:+.3f}{span}"
