"""The soak: a month of restarts, bursts and quiet, and the bounds it stays within."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ustory.core.spans import format_span
from ustory.encode import load_encoder
from ustory.store import Store
from ustory.store.upkeep import check
from ustory.text import load_pipeline
from ustory_bench.scale.month import Month
from ustory_bench.scale.soaking import Sample, soak
from ustory_bench.speed.machine import machine

FULL = Month()
STEADY = 10
"""Days that are held against as many days before."""
_MEMORY, _DATABASE = 1.10, 1.25
_KEPT = ("day", "rss_mib", "objects", "database_mib", "inside", "archived")
_FILES = 3  # SQLite's own: the database, its log, and the log's index


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Something that must not grow, and how far it came."""

    what: str
    words: str
    measured: float
    allowed: float

    @property
    def holds(self) -> bool:
        """Whether it stayed within."""
        return self.measured <= self.allowed


def bounds(samples: Sequence[Sample]) -> list[Bound]:
    """Return what a service was held to over a month."""
    last = max(each.day for each in samples)
    late = [each for each in samples if each.day > last - STEADY]
    before = [each for each in samples if last - 2 * STEADY < each.day <= last - STEADY]
    held = f"in the last {STEADY} days, over the most of the {STEADY} days before"
    return [
        Bound(
            what="memory",
            words=f"the most {held}",
            measured=_ratio(late, before, "rss_mib"),
            allowed=_MEMORY,
        ),
        Bound(
            what="objects",
            words=f"those of Python that are alive, the most {held}",
            measured=_ratio(late, before, "objects"),
            allowed=_MEMORY,
        ),
        Bound(
            what="database",
            words=f"all of its files together, the most {held}",
            measured=_ratio(late, before, "database_mib"),
            allowed=_DATABASE,
        ),
        Bound(
            what="files",
            words="the most there were in its folder",
            measured=max(each.files for each in samples),
            allowed=_FILES,
        ),
        Bound(
            what="open files",
            words="more at the end than after the first day",
            measured=samples[-1].descriptors - samples[0].descriptors,
            allowed=0,
        ),
    ]


def measure(folder: Path, tell: Callable[[str], None], divide: int) -> dict[str, Any]:
    """Let a service live through a month, unless it has; return what it held.

    An interrupted month begins anew, because memory is that of one process.
    """
    done = folder / "outcome.json"
    if done.exists():
        found: dict[str, Any] = json.loads(done.read_text(encoding="utf-8"))
        return found
    shutil.rmtree(folder, ignore_errors=True)
    month = replace(FULL, per_day=max(FULL.per_day // divide, 1))
    before = machine()
    samples = []
    place = folder / "database"
    parts = load_encoder("wordllama"), load_pipeline("fast")
    for sample in soak(place, month, *parts):
        samples.append(sample)
        if sample.day == int(sample.day):
            tell(_line(sample))
    store = Store.open(str(place / "soak.db"))
    wrong = check(store)
    store.close()
    found = _outcome(month, samples, wrong) | {"machine": before}
    done.write_text(json.dumps(found), encoding="utf-8")
    return found


def _outcome(
    month: Month, samples: Sequence[Sample], wrong: Sequence[str]
) -> dict[str, Any]:
    held = bounds(samples)
    return {
        "days": month.days,
        "per_day": month.per_day,
        "slide": format_span(month.slide),
        "slides": samples[-1].slides,
        "restarts": samples[-1].restarts,
        "keep_texts": format_span(month.keep_texts),
        "keep": format_span(month.keep),
        "bursts": list(month.bursts),
        "silent": list(month.silent),
        "down": list(month.down),
        "bounds": [{**asdict(each), "holds": each.holds} for each in held],
        "wrong": list(wrong),
        "holds": not wrong and all(each.holds for each in held),
        "samples": {
            name: [getattr(each, name) for each in samples]
            for name in (
                "day",
                "rss_mib",
                "objects",
                "database_mib",
                "inside",
                "archived",
            )
        },
    }


def _ratio(late: Sequence[Sample], before: Sequence[Sample], name: str) -> float:
    most = [max(getattr(each, name) for each in some) for some in (late, before)]
    return round(float(most[0] / most[1]), 3)


def _line(sample: Sample) -> str:
    return (
        f"day {sample.day:.0f}: {sample.rss_mib:.0f} MiB in memory, "
        f"{sample.database_mib:.1f} MiB on disk in {sample.files} files, "
        f"{sample.inside:,} articles in the window, {sample.archived:,} archived, "
        f"{sample.slides:,} slides, {sample.restarts} restarts"
    )
