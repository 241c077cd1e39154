"""Labelled synthetic streams, as hard and as large as you like."""

from __future__ import annotations

from ustory_bench.simulate.plan import SimulationPlan
from ustory_bench.simulate.stream import simulate

__all__ = ["SimulationPlan", "simulate"]
