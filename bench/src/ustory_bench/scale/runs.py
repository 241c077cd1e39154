"""The streams that scale is measured on, and how each mode is set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from ustory.core.settings import Settings
from ustory_bench.simulate import SimulationPlan

MODES: Mapping[str, Settings] = {
    "links": Settings(),
    "paper": Settings.paper(min_articles=8),
}
"""Our defaults, and the paper's preset with M = 8."""

DAY = timedelta(days=1)
CHECKPOINT_EVERY = 10
"""Slides after which a run can go on from the middle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A simulated stream through both modes, slide by slide."""

    name: str
    per_day: int
    """Articles of a day, on average."""
    days: int
    ahead: int
    """Slides that are prepared before an engine needs them; all of them where times
    are to be compared, so that nothing else runs beside an engine."""
    modes: tuple[str, ...] = tuple(MODES)
    sentences: int = 25
    slide: timedelta = DAY

    @property
    def plan(self) -> SimulationPlan:
        """The stream: as `ustory simulate` makes it, stories in proportion."""
        return SimulationPlan(
            articles=self.per_day * self.days, days=self.days, sentences=self.sentences
        )

    @property
    def full(self) -> int:
        """The first slide whose window is full."""
        window = MODES["links"].window
        assert isinstance(window, timedelta)
        return window // self.slide

    @property
    def slides(self) -> int:
        """How many there are, if none is passed over."""
        return self.days * DAY // self.slide

    @property
    def quiet(self) -> bool:
        """Whether everything is prepared before an engine starts."""
        return self.ahead >= self.slides

    def settings(self, mode: str) -> Settings:
        """Return the settings of a mode."""
        return replace(MODES[mode], slide=self.slide)

    def divided(self, by: int) -> Run:
        """Return a trial of it: so many times fewer articles a day."""
        return replace(self, per_day=max(self.per_day // by, 2))


_FULL_AND_THREE = 10
"""Days: a window of seven, and three more slides of a full window."""

LAWS = tuple(
    Run(
        name=name,
        per_day=per_day,
        days=_FULL_AND_THREE,
        ahead=_FULL_AND_THREE,
    )
    for name, per_day in (
        ("window-14k", 2_000),
        ("window-45k", 6_429),
        ("window-140k", 20_000),
    )
)
"""Windows of 14,000, 45,000 and 140,000 articles."""

HOURLY = Run(
    name="hourly",
    per_day=2_000,
    days=8,
    ahead=24 * 8,
    slide=timedelta(hours=1),
)
"""The smallest window again, moved every hour: what a slide costs by itself."""

SMALL = Run(name="small", per_day=2_000, days=50, ahead=2)
"""What the scores of the large run are held against."""

MILLION = Run(name="million", per_day=20_000, days=50, ahead=2)
"""A million articles in one run."""

RUNS: Mapping[str, Run] = {run.name: run for run in (*LAWS, HOURLY, SMALL, MILLION)}
