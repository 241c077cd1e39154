"""What each part of mode `links` adds, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.docs import mode_runs as runs
from tests.docs.measured import grid, number, results
from tests.docs.mode_runs import FILE, Table, difference, with_interval
from tests.docs.parts import link

_SCORES = {"bcubed_f1": "B³-F1", "ari": "ARI"}


def mode(page: Path, what: str) -> str:
    """Return a section of the ablations by name."""
    return _SECTIONS[what](page)


def _about(page: Path) -> str:
    found = results(FILE)
    box, settings = found["machine"], found["settings"]
    streams = ", ".join(
        f"`{name}` ({each['articles']:,} articles, W = {each['window']})"
        for name, each in found["streams"].items()
    )
    return (
        f"Streams: {streams}. Windows slide by {settings['slide']}, encoder "
        f"`{settings['encoder']}`, protocol `{found['protocol']}`. Measured on "
        f"{box['processor']}, {box['cores']} cores, Python {box['python']}. Every "
        "number is in "
        f"{link(page, f'bench/results/{FILE}')}, which "
        "`python -m ustory_bench.quality.ablations` writes."
    )


def _parts(page: Path) -> str:
    return "\n\n".join(
        f"**`{stream}`**\n\n{_against(table, 'all parts')}\n\n{_missed(table)}"
        for stream, table in results(FILE)["parts"].items()
    )


def _missed(table: Table) -> str:
    """Return in words which parts are missed when they are left out."""
    kinds: dict[str, list[str]] = {"below": [], "open": [], "above": []}
    for name, each in table.items():
        if name.startswith("without "):
            part = f"`{name.removeprefix('without ')}`"
            kinds[_side(each["less"]["bcubed_f1"])].append(part)
    told = {
        "Windowed B³-F1 falls without": kinds["below"],
        "it rises without": kinds["above"],
        "the interval includes 0 for": kinds["open"],
    }
    said = [f"{how} {', '.join(some)}" for how, some in told.items() if some]
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}."


def _side(less: Table) -> str:
    low, high = less["interval"] or (0.0, 0.0)
    if high < 0:
        return "below"
    return "above" if low > 0 else "open"


def _against(table: Table, other: str) -> str:
    head = [
        "", "windowed B³-F1", f"less {other}", "ARI", f"less {other}",
        "whole stream B³-F1", "ARI",
    ]  # fmt: skip
    rows = []
    for name, each in table.items():
        row = [name]
        for metric in _SCORES:
            row.append(
                with_interval(each["windowed"][metric], each["intervals"].get(metric))
            )
            row.append(difference(each["less"][metric]))
        row += [number(each["whole_stream"][metric]) for metric in _SCORES]
        rows.append(row)
    return grid(head, rows)


def _ids(page: Path) -> str:
    head = [
        "", "id switches a story", "never switch", "found stories a true one",
        "detected by the 2nd article", "ever detected",
    ]  # fmt: skip
    rows = []
    for stream, each in results(FILE)["ids"].items():
        paper = f"`paper`, M = {each['min_articles']}"
        for kind, name in (("mode", "`links`"), ("paper", paper)):
            figures = [number(value) for value in each[kind].values()]
            rows.append([f"`{stream}`, {name}", *figures])
    return grid(head, rows)


_SECTIONS: Mapping[str, Callable[[Path], str]] = {
    "about": _about,
    "parts": _parts,
    "ids": _ids,
    "slides": runs.slides,
    "speed": runs.speed,
    "encoders": runs.encoders,
    "errors": runs.errors,
}
