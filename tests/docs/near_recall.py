"""How many neighbours by meaning are found, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.docs.measured import grid, number, results
from tests.docs.parts import link

FILE = "near-recall.json"
_KINDS = ("own", "other", "not_english")


def near_recall(page: Path) -> str:
    """Return a table of recall, seconds and memory, and how they were measured."""
    found, head = results(FILE), [
        "articles", "new", "groups", "own language", "other languages",
        "others of articles not in English", "seconds", "with all compared", "memory",
    ]  # fmt: skip
    ways = {
        "language": ("new", "languages"),
        "split": ("new", f"English as {found['split']} languages"),
        "many": ("many", "languages"),
    }
    rows = [
        [f"{int(size):,}", f"{found[count]:,}", told, *_numbers(each[way])]
        for size, each in found["sizes"].items()
        for way, (count, told) in ways.items()
        if way in each
    ]
    box = found["machine"]
    return (
        f"{grid(head, rows)}\n\nRecall of the {found['near']} true neighbours with a "
        f"cosine of {found['floor']} or more; seconds of the processor, for all new "
        "articles together; memory at most, as a multiple of the vectors. On "
        f"{box['processor']}, {box['cores']} cores that others used as well, Python "
        f"{box['python']}, numpy {box['numpy']}; from "
        f"{link(page, f'bench/results/{FILE}')}, which "
        "`python -m ustory_bench.quality.near_recall` writes."
    )


def _numbers(each: Mapping[str, Any]) -> list[str]:
    recalls = [number(each[kind]["recall"]) for kind in _KINDS]
    seconds = [
        number(each[way]["processor"], 2) for way in ("seconds", "seconds_exact")
    ]
    return [*recalls, *seconds, number(each["memory_of_vectors"], 1)]


PARTS: dict[str, Callable[..., str]] = {"near-recall": near_recall}
