"""Holds every system against its floors: python -m ustory_bench.quality.gate."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from ustory import UStoryError
from ustory.core.registry import names
from ustory_bench.quality.pins import PINNED, StreamPins, read_pins, write_pins
from ustory_bench.quality.streams import (
    ALWAYS,
    ELSEWHERE,
    SETTINGS,
    load,
    parts,
    present,
)
from ustory_bench.quality.verdicts import Verdict, judge, measured, repinned

FLOORS = Path(__file__).with_name("floors.json")


def main() -> None:
    """Judge, or with --write pin; exit with 1 if anything fell through."""
    asked = _arguments()
    console = Console()
    try:
        act = _pin if asked.write else _judge
        faults = list(act(asked, console))
    except UStoryError as error:
        faults = [str(error)]
    for fault in faults:
        console.print(fault, style="red", soft_wrap=True, markup=False)
    sys.exit(1 if faults else 0)


def unknown_systems(pins: StreamPins) -> list[str]:
    """Return a sentence for each system that has floors and is not registered."""
    return [
        f"{system} has floors and is not registered under ustory.systems; register "
        "it, or take its floors out by hand"
        for system in sorted(set(pins.floors) - set(names("systems")))
    ]


def _judge(asked: argparse.Namespace, console: Console) -> Iterator[str]:
    """Yield what is wrong, after a table of each stream."""
    pinned = read_pins(asked.floors)
    for name in asked.streams:
        stream, pins = load(name), pinned.get(name, StreamPins())
        pins.refuse_other_data(stream)
        yield from unknown_systems(pins)
        verdicts = [
            judge(system, stream, pins, SETTINGS, parts()[1])
            for system in track(asked.systems, name, console=console, transient=True)
        ]
        _show(console, name, verdicts)
        for verdict in verdicts:
            yield from verdict.faults


def _pin(asked: argparse.Namespace, console: Console) -> Iterator[str]:
    """Move floors to what is measured, and yield what was not moved, and why."""
    for name in asked.streams:
        pinned = read_pins(asked.floors)
        stream, pins = load(name), pinned.get(name, StreamPins())
        verdicts = [
            measured(system, stream, SETTINGS, parts()[1])
            for system in track(asked.systems, name, console=console, transient=True)
        ]
        _show(console, name, verdicts, "measured")
        after, refused = repinned(pins, stream, verdicts, lower=asked.lower)
        write_pins(asked.floors, {**pinned, name: after})
        yield from refused


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--streams",
        type=_listed,
        default=list(present()),
        help=f"of {', '.join((*ALWAYS, *ELSEWHERE))}; all that are present by default",
    )
    parser.add_argument(
        "--systems", type=_listed, default=list(names("systems")), help="all by default"
    )
    parser.add_argument("--floors", type=Path, default=FLOORS, help="another file")
    parser.add_argument("--write", action="store_true", help="pin what is measured")
    parser.add_argument("--lower", action="store_true", help="lower floors as well")
    asked = parser.parse_args()
    if asked.lower and not asked.write:
        parser.error("--lower goes with --write")
    return asked


def _listed(text: str) -> Sequence[str]:
    return [name for name in text.split(",") if name]


def _show(
    console: Console, name: str, verdicts: Sequence[Verdict], well: str = "holds"
) -> None:
    heads = [_head(each) for each in PINNED]
    table = Table(_whole("system"), *heads, _whole("verdict"), title=name)
    for verdict in verdicts:
        scores = [f"{verdict.figures[each]:.3f}" for each in PINNED if verdict.figures]
        said = "falls through" if verdict.faults else well
        said = "not judged" if verdict.missing else said
        table.add_row(verdict.system, *(scores or ["–"] * len(PINNED)), said)
    console.print(table)
    for verdict in verdicts:
        if verdict.missing:
            told = f"{verdict.system} was not judged: {verdict.missing}"
            console.print(told, soft_wrap=True, markup=False)


def _head(figure: str) -> str:
    """Return a name that a narrow column can hold."""
    short = {"whole_stream": "whole", "windowed": "win.", "bcubed_f1": "b³-f1"}
    for name, instead in short.items():
        figure = figure.replace(name, instead)
    return figure.replace("_", " ")


def _whole(name: str) -> Column:
    return Column(name, no_wrap=True)


if __name__ == "__main__":
    main()
