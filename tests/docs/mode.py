"""What each part of mode `links` adds, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.docs import mode_runs as runs
from tests.docs.measured import grid, number, results
from tests.docs.mode_runs import FILE, Table, difference, with_interval
from tests.docs.parts import link

_ALL = "all parts"
_SCORES = {"bcubed_f1": "B³-F1", "ari": "ARI"}


def mode(page: Path, what: str) -> str:
    """Return a section of the ablations by name."""
    return _SECTIONS[what](page)


def _about(page: Path) -> str:
    found = results(FILE)
    box, settings = found["machine"], found["settings"]
    streams = ", ".join(
        f"`{name}` ({each['articles']:,} articles)"
        for name, each in found["streams"].items()
    )
    return (
        f"Streams: {streams}. Windows of {settings['window']} that slide by "
        f"{settings['slide']}, encoder `{settings['encoder']}`, protocol "
        f"`{found['protocol']}`. Measured on {box['processor']}, {box['cores']} cores, "
        f"Python {box['python']}. Every number is in "
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


def _rivals(page: Path) -> str:
    told = []
    for stream, table in results(FILE)["rivals"].items():
        mode_itself = results(FILE)["parts"][stream][_ALL]
        ranked = sorted(table, key=lambda name: -table[name]["windowed"]["bcubed_f1"])
        rows = {"`ustory-links`": mode_itself}
        rows |= {f"`{name}`": table[name] for name in ranked}
        told += [f"**`{stream}`**", _against(rows, "the mode"), _verdict(table)]
    return "\n\n".join(told)


def _verdict(table: Table) -> str:
    """Return in words which rivals are below the mode, and which may not be."""
    kinds: dict[str, list[str]] = {"below": [], "open": [], "above": []}
    for name, each in table.items():
        kinds[_side(each["less"]["bcubed_f1"])].append(f"`{name}`")
    told = [
        f"{len(kinds['below'])} of {len(table)} are below the mode in windowed "
        "B³-F1, beyond the interval."
    ]
    if kinds["open"]:
        told.append(f"The interval includes 0 for {', '.join(sorted(kinds['open']))}.")
    if kinds["above"]:
        told.append(
            f"Above the mode, beyond the interval: {', '.join(sorted(kinds['above']))}."
        )
    return " ".join(told)


def _side(less: Table) -> str:
    low, high = less["interval"]
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


def _leader(page: Path) -> str:
    """Return the default mode beside the best rivals, for those in a hurry."""
    found = results(FILE)
    streams = [name for name in found["rivals"] if not name.startswith("simulated")]
    rows: dict[str, list[str]] = {"`Settings()`": []}
    for stream in streams:
        best = found["parts"][stream][_ALL]
        rows["`Settings()`"].append(_windowed(best))
        rivals = found["rivals"][stream].items()
        ranked = sorted(rivals, key=lambda each: -each[1]["windowed"]["bcubed_f1"])
        others = [each for each in ranked if not each[0].startswith("ustory")]
        name, table = others[0]
        told = rows.setdefault(f"best of {len(others)} rivals", [])
        told.append(f"{_windowed(table)}, `{name}`")
        for ours in ("ustory-auto", "ustory"):
            rows.setdefault(f"`{ours}`", []).append(_windowed(dict(rivals)[ours]))
    head = ["B³-F1 over windows", *(f"`{stream}`" for stream in streams)]
    return grid(head, [[name, *cells] for name, cells in rows.items()])


def _windowed(table: Table) -> str:
    ends = table["intervals"].get("bcubed_f1")
    return with_interval(table["windowed"]["bcubed_f1"], ends)


_SECTIONS: Mapping[str, Callable[[Path], str]] = {
    "about": _about,
    "parts": _parts,
    "rivals": _rivals,
    "ids": _ids,
    "slides": runs.slides,
    "speed": runs.speed,
    "encoders": runs.encoders,
    "errors": runs.errors,
    "leader": _leader,
}
