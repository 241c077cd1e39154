"""What a load came to, in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ustory.core.memory import held_bytes, peak_bytes

_MIB = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Many times in seconds, in short."""

    count: int
    median: float
    p95: float
    longest: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Times | None:
        """Return times in short, None where there are none.

        >>> Times.of([1.0, 3.0, 2.0]).median
        2.0
        """
        if not len(seconds):
            return None
        found = np.asarray(seconds, dtype=np.float64)
        median, p95 = np.quantile(found, [0.5, 0.95]).tolist()
        return cls(count=len(found), median=median, p95=p95, longest=float(found.max()))


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """How an engine or a service bore a load."""

    against: str
    """`engine`, or the address of a service."""
    rate: float | None
    """Articles a second that were asked for; None is as many as are taken."""
    articles: int
    """Articles that were taken."""
    seconds: float
    """From the first article to the end of the last slide."""
    slides: Times | None
    """How long slides took, text and encoding included."""
    lag: Times | None
    """How long after it was due an article was taken; None without a rate."""
    last_lag: float = 0.0
    """Of the last article."""
    memory_mib: float
    """What the process held at the end: this one, or the service's."""
    peak_mib: float
    """The most that it ever held."""
    window: int
    """Articles in the window at the end."""
    stories: int
    """Stories in the window at the end."""
    steps: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each step, all slides together."""
    told: Times | None = None
    """A service's: from posting an article to the end of its slide."""
    untold: int = 0
    """A service's: articles in a slide that was still open at the end."""
    outcomes: Mapping[str, int] = field(default_factory=dict)
    """A service's: how many articles were new, known, edited or refused."""
    refused_requests: int = 0
    """A service's: how often it said that too much was waiting."""

    @property
    def articles_per_second(self) -> float:
        """What was sustained."""
        return self.articles / self.seconds if self.seconds > 0 else 0.0

    @property
    def keeps_up(self) -> bool | None:
        """Whether the last article was no later than a slide takes; None: no rate."""
        if self.rate is None:
            return None
        longest = self.slides.longest if self.slides is not None else 0.0
        return self.last_lag <= longest + 1.0

    def plain(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them."""
        return {
            **_rounded(asdict(self)),
            "articles_per_second": round(self.articles_per_second, 3),
            "keeps_up": self.keeps_up,
        }


def resident_mib() -> float:
    """Return what memory this process holds, in MiB."""
    return held_bytes() / _MIB


def peak_mib() -> float:
    """Return the most memory that this process ever held, in MiB."""
    return peak_bytes() / _MIB


def _rounded(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return value
