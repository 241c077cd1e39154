"""Which runs the ablations ask for: the mode by its parts, and the paper's M."""

from __future__ import annotations

from ustory.core.settings import PARTS
from ustory_bench.quality.runs import run_of
from ustory_bench.runner.jobs import Job
from ustory_bench.runner.streams import Stream
from ustory_bench.system import find_system

MODE = "ustory-links"
PAPER = "ustory"
ALL = "all parts"
WORDS = "words alone"
ALL_PARTS = " ".join(PARTS)

SIZES = (2, 3, 4, 6, 8)
"""Values of M that the paper's preset is given; the best one on a stream counts."""


def variants() -> dict[str, str]:
    """Return the sets of parts that are compared, by what tables call them."""
    return {
        ALL: ALL_PARTS,
        **{
            f"without {part}": " ".join(p for p in PARTS if p != part) for part in PARTS
        },
        WORDS: "",
        **{f"words and {part}": part for part in PARTS},
    }


def part_jobs(stream: Stream) -> dict[str, Job]:
    """Return a run of the mode with each set of parts, by its name."""
    mode = find_system(MODE)
    return {
        name: run_of(mode, stream, {"parts": given})
        for name, given in variants().items()
    }


def paper_jobs(stream: Stream) -> dict[int, Job]:
    """Return a run of the paper's preset with each M."""
    paper = find_system(PAPER)
    return {size: run_of(paper, stream, {"min_articles": size}) for size in SIZES}
