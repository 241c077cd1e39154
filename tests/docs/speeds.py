"""What the benchmarks of speed say, as Markdown for the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.docs.measured import grid, number, results
from tests.docs.parts import link


def steps(page: Path) -> str:
    """Return where the time of a slide goes."""
    found = results("speed.json")
    rows = [[each["step"], number(each["ms"], 1)] for each in found["steps"]]
    return f"{_told(page, 'speed.json')}\n\n{grid(['step', 'ms a slide'], rows)}"


def speed(page: Path) -> str:
    """Return how fast a whole run is, and how a slide grows with the window."""
    found = results("speed.json")
    run, window = found["whole run"], found["window"]
    head = ["window (days)", "articles", "unassigned", "stories", "ms a slide"]
    rows = [
        [
            str(each["W days"]),
            *(f"{each[name]:,}" for name in ("articles", "unassigned", "stories")),
            number(each["ms"], 1),
        ]
        for each in window["rows"]
    ]
    return (
        f"{_told(page, 'speed.json')} From text to stories, {run['articles']:,} "
        f"articles take {number(run['seconds'], 1)} s, which is "
        f"{run['articles_per_second']:.0f} articles a second; of the time of a slide, "
        f"text takes {number(run['text ms a slide'], 0)} ms and encoding "
        f"{number(run['encoding ms a slide'], 0)} ms. The method alone, by window:"
        f"\n\n{grid(head, rows)}\n\nA slide grows with the window to the power of "
        f"{number(window['exponent'], 2)}."
    )


def metrics(page: Path) -> str:
    """Return how long scoring takes."""
    found = results("metrics.json")
    head = ["labels", "articles", "true stories", "found stories", "seconds"]
    rows = [
        [
            name,
            *(f"{each[k]:,}" for k in ("articles", "true stories", "found stories")),
            number(each["seconds"]["all"], 1),
        ]
        for name, each in found["labellings"].items()
    ]
    return f"{_told(page, 'metrics.json')}\n\n{grid(head, rows)}"


def wire(page: Path) -> str:
    """Return what a first visit of each page takes on the wire."""
    found = results("wire.json")
    rows = [
        [
            each["page"],
            number(each["bytes"] / 1000, 1),
            str(each["requests"]),
            number(each["slow_ms"] / 1000, 1),
        ]
        for each in found["pages"]
    ]
    told = (
        f"An archive with {found['inside']:,} articles in its window, "
        f"{found['stories']:,} live stories and {found['on_map']:,} articles on its "
        f"map; from {link(page, 'bench/results/wire.json')} "
        "(`python -m tests.browser.wire`)."
    )
    head = ["page", "kB on the wire", "requests", "seconds on the slow line"]
    return f"{told}\n\n{grid(head, rows)}"


def _told(page: Path, name: str) -> str:
    box: Any = results(name)["machine"]
    source = link(page, f"bench/results/{name}")
    return f"On {box['processor']}, {box['cores']} cores, from {source}."
