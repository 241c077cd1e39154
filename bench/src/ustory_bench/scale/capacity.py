"""What a machine bears, by the laws that were measured: articles a day."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ustory_bench.scale.runs import LAWS

SHARDED = ("links", "assignment", "initial")
"""The steps of a slide that every worker takes a part of."""
BUSY = 0.5
"""The part of a day that work may take: the rest is for bursts and for catching up."""
_DAY = 86_400.0
_WEEK = 7
_MEASURED_CORES = 2
_GIB = 1024.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Laws:
    """How time and memory grow with the window in a mode."""

    exponent: float
    seconds: float
    """Of a slide of a day, in a window of one article: seconds · W^exponent."""
    by_itself: float | None
    """The part of a slide of a day that does not depend on how many articles arrive;
    None where it was not measured."""
    sharded: float
    """The part of it that workers share."""
    preparing: float
    """Seconds of a core for an article: text and encoding."""
    mib: float
    """What an engine holds with an empty window."""
    mib_per_article: float
    largest: float
    """The largest window that was measured."""

    @classmethod
    def of(cls, results: Mapping[str, Any], mode: str) -> Laws | None:
        """Return the laws of a mode, None where something was not measured."""
        names = [run.name for run in LAWS]
        if not all(mode in results.get(name, {}).get("modes", {}) for name in names):
            return None
        cells = [results[name]["modes"][mode] for name in names]
        windows = [cell["window"] for cell in cells]
        slope, start = np.polyfit(
            np.log(windows), np.log([cell["slide_seconds"] for cell in cells]), 1
        )
        per_article, mib = np.polyfit(windows, [cell["peak_mib"] for cell in cells], 1)
        steps = cells[-1]["steps"]
        rates = [
            results[name]["preparing"]["articles_per_cpu_second"] for name in names
        ]
        return cls(
            exponent=float(slope),
            seconds=math.exp(float(start)),
            by_itself=_by_itself(results, mode),
            sharded=sum(steps.get(one, 0.0) for one in SHARDED) / sum(steps.values()),
            preparing=1 / float(np.median(rates)),
            mib=max(float(mib), 0.0),
            mib_per_article=float(per_article),
            largest=max(windows),
        )

    def busy(self, per_day: float, cores: int, slides: int = 1) -> float:
        """Return the seconds of a day that its articles take on some cores."""
        slide: float = self.seconds * (_WEEK * per_day) ** self.exponent
        own = 1 + (self.by_itself or 0.0) * (slides - 1)
        shared = self.sharded * _MEASURED_CORES / cores
        return per_day * self.preparing / cores + slide * own * (
            1 - self.sharded + shared
        )

    def gib(self, per_day: float) -> float:
        """Return the most memory that the engine holds."""
        return (self.mib + self.mib_per_article * _WEEK * per_day) / _GIB

    def by_time(self, cores: int, slides: int = 1) -> float:
        """Return the articles a day that some cores bear."""
        low, high = 1.0, 1e12
        while high / low > 1 + 1e-9:
            middle = math.sqrt(low * high)
            if self.busy(middle, cores, slides) <= BUSY * _DAY:
                low = middle
            else:
                high = middle
        return low

    def by_memory(self, gib: float) -> float:
        """Return the articles a day whose window fits into some memory."""
        free = gib * _GIB - self.mib
        return max(free / self.mib_per_article / _WEEK, 0.0)


def _by_itself(results: Mapping[str, Any], mode: str) -> float | None:
    """Return the part of a daily slide that an hourly one of the window costs, too.

    Between the two, time is taken to be a line over the articles that arrive.
    """
    hourly = results.get("hourly", {}).get("modes", {}).get(mode)
    if hourly is None:
        return None
    daily = results[LAWS[0].name]["modes"][mode]
    few, many = hourly["arriving"], daily["arriving"]
    each = (daily["slide_seconds"] - hourly["slide_seconds"]) / (many - few)
    share = (daily["slide_seconds"] - each * many) / daily["slide_seconds"]
    return float(min(max(share, 0.0), 1.0))


def rounded(value: float) -> int:
    """Return a number of articles with two digits that count.

    >>> rounded(123_456.0), rounded(87.0)
    (120000, 87)
    """
    if value < 10:
        return int(value)
    digits = 1 - math.floor(math.log10(value))
    return int(round(value, digits))
