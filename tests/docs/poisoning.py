"""How many articles attacks take, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tests.docs.measured import grid, results
from tests.docs.parts import link

FILE = "poison.json"


def poisoning(page: Path, what: str) -> str:
    """Return a part of the page: `about` or `table`."""
    return _about(page) if what == "about" else _table()


def _about(page: Path) -> str:
    streams = ", ".join(
        f"`{name}` (W = {each['window']})"
        for name, each in results(FILE)["now"].items()
    )
    return (
        f"Streams: {streams}. Every number is in "
        f"{link(page, f'bench/results/{FILE}')}, which "
        "`python -m ustory_bench.quality.poison` writes."
    )


def _table() -> str:
    head = ["attack", "how", "one outlet: before", "now", "ten: before", "now"]
    now = results(FILE)["now"]
    first = next(iter(now.values()))["attacks"]
    rows = []
    for kind, recipes in first.items():
        for recipe in recipes:
            cells = [
                _needed(name, kind, recipe, outlets)
                for outlets in ("1", "10")
                for name in ("before", "now")
            ]
            rows.append([kind, recipe, *cells])
    return grid(head, rows)


def _needed(name: str, kind: str, recipe: str, outlets: str) -> str:
    """Return the fewest articles of any try, and how many tries were held."""
    tries: list[int | None] = []
    for stream, each in results(FILE)[name].items():
        for place, found in enumerate(each["attacks"][kind][recipe][outlets]):
            if not _one_already(stream, kind, recipe, place):
                tries.append(found)
    return _said(tries)


def _one_already(stream: str, kind: str, recipe: str, place: int) -> bool:
    """Say whether nothing had to be done in one of the versions."""
    return any(
        each[stream]["attacks"][kind][recipe]["1"][place] == 0
        for each in results(FILE).values()
    )


def _said(tries: Sequence[int | None]) -> str:
    some = [each for each in tries if each is not None]
    held = f"held {len(tries) - len(some)} of {len(tries)}"
    return f"{min(some)}; {held}" if some else held


PARTS: dict[str, Callable[..., str]] = {"poisoning": poisoning}
