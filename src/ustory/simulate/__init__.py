"""Labelled synthetic streams, as hard and as large as you like."""

from __future__ import annotations

from ustory.simulate.plan import Plan
from ustory.simulate.stream import simulate

__all__ = ["Plan", "simulate"]
