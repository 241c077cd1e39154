"""Whether probabilities are right, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.docs.measured import FOLDER, grid, number, results, shown
from tests.docs.parts import link
from ustory_bench.quality.reliability_figures import figures
from ustory_bench.report.blocks import Figure

FILE = "reliability.json"
_KINDS = {
    "pairs": {"arrival": "on arrival", "settled": "settled"},
    "articles": {"first": "first decision", "last": "last decision"},
}
_BY = {
    "pairs": {"size": "articles with the label", "length": "words of the shorter text"},
    "articles": {"size": "articles of the story", "length": "words of the text"},
}


def reliability_figures() -> list[Figure]:
    """Return the curves of what was measured."""
    return figures(_found())


def reliability(page: Path, what: str, how: str = "") -> str:
    """Return a part of the page: `about`, or a table or figure of pairs or articles."""
    if what == "about":
        return _about(page)
    written: dict[str, Callable[[], str]] = {
        "figure": lambda: _figure(page, what),
        "curve": lambda: _curve(what),
        "size": lambda: _by(what, "size"),
        "length": lambda: _by(what, "length"),
    }
    return written[how]()


def _found() -> dict[str, Any]:
    found: dict[str, Any] = results(FILE) if (FOLDER / FILE).exists() else {}
    return found


def _about(page: Path) -> str:
    found = _found()
    streams = ", ".join(
        f"`{name}` ({each['articles']:,} articles, W = {each['window']})"
        for name, each in found["streams"].items()
    )
    return (
        f"Streams: {streams}; slides of a day, `wordllama`. Every number is in "
        f"{link(page, f'bench/results/{FILE}')}, which "
        "`python -m ustory_bench.quality.reliability` writes."
    )


def _figure(page: Path, what: str) -> str:
    drawn = {each.id: each for each in reliability_figures()}
    return shown(page, drawn[f"reliability-{what}"])


def _curve(what: str) -> str:
    head = ["", "about 90 %", "right", "all", "error", "offset", "slope"]
    rows = [
        [
            f"`{name}`, {title}",
            f"{each[kind]['about_90']['count']:,}",
            number(each[kind]["about_90"]["right"]),
            f"{each[kind]['counted']:,}",
            number(each[kind]["error"]),
            *_line(each[kind]["fit"]),
        ]
        for name, each in _found()["streams"].items()
        for kind, title in _KINDS[what].items()
    ]
    lines = _found()["together"]
    rows += [
        [f"all streams alike, {title}", *[""] * 4, *_line(lines[kind])]
        for kind, title in _KINDS[what].items()
    ]
    return grid(head, rows)


def _line(fit: dict[str, float] | None) -> Sequence[str]:
    if fit is None:
        return ["–", "–"]
    return [number(fit["offset"], 2), number(fit["slope"], 2)]


def _by(what: str, column: str) -> str:
    kind = next(iter(_KINDS[what]))
    head = ["", _BY[what][column], "how many", "mean", "right"]
    rows = [
        [
            f"`{name}`",
            f"{row['from']} to {row['to']}" if row["to"] else f"{row['from']} and more",
            f"{row['count']:,}",
            number(row["mean"], 2),
            number(row["right"], 2),
        ]
        for name, each in _found()["streams"].items()
        for row in each[kind][f"by_{column}"]
    ]
    return grid(head, rows)


PARTS: dict[str, Callable[..., str]] = {"reliability": reliability}
