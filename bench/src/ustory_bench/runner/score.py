"""How one system did on one stream: both protocols, identity, seconds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.core.spans import Span, format_span
from ustory.scores.agreement import METRICS, PROTOCOLS, Score
from ustory.scores.identity import IdentityReport, identity
from ustory.scores.significance import intervals
from ustory.scores.windows import Report, evaluate_assignments
from ustory_bench.runner.follow import SlideStories, follow, rows
from ustory_bench.runner.streams import Stream
from ustory_bench.system import Parameter, System

PROTOCOL = "singleton"
"""The protocol that tables, tuning and floors go by."""

PlainOutcome: TypeAlias = dict[str, Any]
"""What `Outcome.plain()` returns."""

_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One cell of a comparison: a system with its parameters on a stream."""

    system: str
    stream: str
    parameters: Mapping[str, Parameter]
    reports: Mapping[str, Report]
    """By protocol; `singleton` is the one that tables lead with."""
    identity: IdentityReport
    """Under the `singleton` protocol."""
    seconds: tuple[float, ...]
    """Of each slide, without text and encoding, oldest first."""

    @property
    def report(self) -> Report:
        """The scores under the `singleton` protocol."""
        return self.reports[PROTOCOL]

    def plain(self) -> PlainOutcome:
        """Return the cell as JSON can hold it, each window's scores included."""
        return {
            "system": self.system,
            "stream": self.stream,
            "parameters": dict(self.parameters),
            "figures": {p: _rounded(r.figures()) for p, r in self.reports.items()},
            "intervals": self._intervals(),
            "identity": _rounded(self.identity.figures()),
            "windows": {
                name: [round(getattr(w, name), _DIGITS) for _, w in self._windows]
                for name in METRICS
            },
            "seconds": {
                "slides": len(self.seconds),
                "total": round(sum(self.seconds), 3),
                "longest": round(max(self.seconds, default=0.0), 4),
            },
        }

    @property
    def _windows(self) -> Sequence[tuple[datetime, Score]]:
        return self.report.windowed.windows

    def _intervals(self) -> dict[str, list[float]] | None:
        """Return 95 % intervals of the windowed means; None on a short stream."""
        found = intervals(self.report)
        if found is None:
            return None
        return {
            name: [round(each.low, _DIGITS), round(each.high, _DIGITS)]
            for name, each in found.items()
        }


def score_system(
    system: System,
    stream: Stream,
    settings: Settings,
    encoder: Encoder,
    changes: Mapping[str, Parameter] | None = None,
) -> Outcome:
    """Run a system over a stream and score it.

    `settings` give W, S and the seed; `changes` are parameters that are not the
    system's defaults.
    """
    changed = dict(changes or {})
    discoverer = system.make(settings, encoder, **changed)
    slides = list(follow(discoverer, stream.articles, settings))
    return Outcome(
        system=system.name,
        stream=stream.name,
        parameters={**system.parameters, **changed},
        reports=score_slides(slides, stream, settings),
        identity=identity(stream.truth, stream.published, rows(slides), PROTOCOL),
        seconds=tuple(each.seconds for each in slides),
    )


def score_slides(
    slides: Sequence[SlideStories], stream: Stream, settings: Settings
) -> dict[str, Report]:
    """Return the scores of a run under each protocol."""
    window, slide = duration(settings.window), duration(settings.slide)
    return {
        protocol: evaluate_assignments(
            stream.truth, rows(slides), window, slide, protocol
        )
        for protocol in PROTOCOLS
    }


def duration(span: Span) -> timedelta:
    """Return a span by time; refuse one by number, which scores do not know."""
    if isinstance(span, int):
        raise ConfigError(
            "systems are compared in windows by time, like 7d; got "
            f"{format_span(span)} articles"
        )
    return span


def _rounded(figures: Mapping[str, float]) -> dict[str, float | None]:
    """Return figures as JSON has them: what is not a number is null."""
    return {
        name: None if math.isnan(value) else round(value, _DIGITS)
        for name, value in figures.items()
    }
