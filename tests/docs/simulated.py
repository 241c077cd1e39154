"""How simulated streams compare with real ones, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.docs.measured import grid, number, results
from tests.docs.parts import link
from ustory_bench.simulate.facts import REAL, UNLABELLED

FILE = "facts.json"

FACTS: Mapping[str, tuple[tuple[str, str, int], ...]] = {
    "alike": (
        ("body_within", "words, two of one story", 3),
        ("body_outside", "words, the nearest of another story", 3),
        ("lead_within", "leads, two of one story", 3),
        ("lead_outside", "leads, the nearest of another story", 3),
        ("meaning_within", "meaning, two of one story", 3),
        ("meaning_outside", "meaning, the nearest of another story", 3),
    ),
    "shared": (
        ("rare_pair", "rare words that another article of the story has", 3),
        ("rare_story", "rare words that any of them has", 3),
        ("rare_outside", "rare words that one of another story has", 3),
        ("confused", "articles whose nearest is of another story", 3),
        ("quoted", "sentences that another article of the story has", 3),
        ("copies", "articles that are copies", 3),
    ),
    "stories": (
        ("size", "articles of a story", 0),
        ("days", "days from its first to its last", 0),
        ("alone", "articles alone in their story", 3),
    ),
    "texts": (
        ("sentences", "sentences", 0),
        ("words", "words that count as terms", 0),
        ("new_words", "share of them that are new in the article", 3),
        ("different", "different ones among the first 100,000", 0),
        ("once", "share of these that occur once", 3),
    ),
}
"""The rows of each table: name, words, digits."""

_POINTS = ("10", "50", "90")
_SCORES = (
    ("windowed_bcubed_f1", "windowed B³-F1"),
    ("windowed_bcubed_precision", "P"),
    ("windowed_bcubed_recall", "R"),
    ("whole_stream_bcubed_f1", "whole-stream B³-F1"),
)


def facts(page: Path, what: str) -> str:
    """Return a part of the page: `about`, `scores`, `missed` or a table of `FACTS`."""
    if what == "about":
        return _about(page)
    if what == "scores":
        return _scores()
    if what == "missed":
        return _missed()
    return _table(FACTS[what])


def rows_of(table: Sequence[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    """Return the rows of a table: a fact with quantiles has three."""
    known = next(iter(results(FILE)["simulated"].values()))["facts"]
    found = []
    for name, words, digits in table:
        if name in known:
            found.append((name, words, digits))
            continue
        found += [
            (f"{name}_{point}", f"{words}, {point} %", digits) for point in _POINTS
        ]
    return found


def real_range(name: str) -> tuple[float, float]:
    """Return the least and the most of a fact over the real streams."""
    values = [results(FILE)["streams"][each]["facts"][name] for each in REAL]
    told = [value for value in values if value is not None]
    return min(told), max(told)


def simulated_mean(name: str) -> float:
    """Return the mean of a fact over the simulated streams."""
    each = [one["facts"][name] for one in results(FILE)["simulated"].values()]
    return float(sum(each) / len(each))


def outside(name: str) -> bool:
    """Return whether simulated streams are outside the range of the real ones."""
    low, high = real_range(name)
    return not low <= round(simulated_mean(name), 4) <= high


def _about(page: Path) -> str:
    found = results(FILE)
    streams = ", ".join(
        f"`{name}` ({found['streams'][name]['articles']:,} articles, W = "
        f"{found['streams'][name]['window']})"
        for name in REAL
    )
    return (
        f"Real: {streams}; `load-6000` has no labels. Simulated: "
        f"{found['articles']:,} articles in {found['days']} days, else the defaults, "
        f"{len(found['simulated'])} seeds, the mean of them. Every number is in "
        f"{link(page, f'bench/results/{FILE}')}, which "
        "`python -m ustory_bench.simulate.facts` writes."
    )


def _table(table: Sequence[tuple[str, str, int]]) -> str:
    streams = results(FILE)["streams"]
    beside = [name for name in UNLABELLED if name in streams]
    head = ["", *(f"`{name}`" for name in (*REAL, *beside)), "simulated"]
    rows = []
    for name, words, digits in rows_of(table):
        real = [streams[each]["facts"].get(name) for each in (*REAL, *beside)]
        mean = _told(simulated_mean(name), digits)
        mark = f"**{mean}**" if outside(name) else mean
        rows.append([words, *(_told(value, digits) for value in real), mark])
    kept = [place for place in range(len(head)) if _any(rows, place)]
    return grid(
        [head[place] for place in kept],
        [[row[place] for place in kept] for row in rows],
    )


def _any(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Return whether a column says anything."""
    return any(row[place] != "–" for row in rows)


def _told(value: float | None, digits: int) -> str:
    return number(value, digits) if digits or value is None else f"{value:,.0f}"


def _missed() -> str:
    every = [row for table in FACTS.values() for row in rows_of(table)]
    missed = [words for name, words, _ in every if outside(name)]
    return (
        f"{len(every) - len(missed)} of {len(every)} facts are within the range of the "
        f"real streams. Outside it, and bold in the tables: {'; '.join(missed)}."
    )


def _scores() -> str:
    found: dict[str, Any] = results(FILE)
    rows = [[f"`{name}`", *_row(found["streams"][name]["scores"])] for name in REAL]
    rows += [
        [f"simulated, seed {seed}", *_row(each["scores"])]
        for seed, each in found["simulated"].items()
    ]
    rows.append(["simulated, seed 0, no twins", *_row(found["without_twins"])])
    return grid(["", *(words for _, words in _SCORES)], rows)


def _row(scores: Mapping[str, float]) -> list[str]:
    return [number(scores[name]) for name, _ in _SCORES]


PARTS: dict[str, Callable[..., str]] = {"facts": facts}
