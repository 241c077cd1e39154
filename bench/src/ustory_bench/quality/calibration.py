"""How far probabilities are from what came true: bins, their error, and a fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import minimize

from ustory.core.arrays import Mask, Vector
from ustory_bench.quality.readings import Readings

EDGES = (*(0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7), 0.8, 0.85, 0.95, 1.0)
"""Bins of probability; the last one has both its ends."""
ABOUT = (0.85, 0.95)
"""What counts as about 90 %: both the bin, and the share that should be right."""
SIZES = (2, 3, 5, 10, 20)
LENGTHS = (0, 60, 200, 500)
"""Where bins of stories by size, and of texts by length, begin."""
DIGITS = 4

_RIDGE = 1e-3
_CERTAIN = 1e-3
"""Probabilities are fitted as if they were at least so far from 0 and 1."""


def curve(found: Readings, least: float = 0.0) -> dict[str, Any]:
    """Return the share that is right by probability, and the expected error.

    The error is the distance of share and mean probability, each bin counting by its
    readings, over those that are at least as likely as `least`.
    """
    counted = found.only(found.probability >= least)
    return {
        "count": len(found),
        "bins": _bins(found),
        "counted": len(counted),
        "error": calibration_error(counted),
        "about_90": _row(found, *ABOUT),
    }


def calibration_error(found: Readings) -> float | None:
    """Return the expected calibration error over the bins, None without readings."""
    if not len(found):
        return None
    rows = _bins(found)
    gaps = sum(row["count"] * abs(row["mean"] - row["right"]) for row in rows)
    return round(float(gaps) / len(found), DIGITS)


def by_column(
    found: Readings, name: str, starts: Sequence[int]
) -> list[dict[str, Any]]:
    """Return a row for each range of a column: `size` or `length`."""
    column = getattr(found, name)
    rows = []
    for low, high in pairwise([*starts, np.inf]):
        some = found.only((column >= low) & (column < high))
        if len(some):
            about = _row(some, *ABOUT)
            rows.append(
                {
                    "from": low,
                    "to": None if high == np.inf else high - 1,
                    "count": len(some),
                    "mean": _mean(some.probability),
                    "right": _mean(some.right),
                    "error": calibration_error(some),
                    "about_90": about,
                }
            )
    return rows


def fitted(parts: Sequence[Readings]) -> dict[str, float]:
    """Return by what line log-odds would become right: offset + slope · log-odds.

    Logistic regression (Platt 1999); each stream counts alike. 0 and 1 say that
    nothing is to be corrected.
    """
    x = np.concatenate([_log_odds(part.probability) for part in parts])
    right = np.concatenate([part.right for part in parts]).astype(np.int64)
    weight = np.concatenate([np.full(len(p), 1 / max(len(p), 1)) for p in parts])
    sign = 2 * right - 1

    def surprise(line: Vector) -> float:
        far = float(((line - (0.0, 1.0)) ** 2).sum())
        said = sign * (line[0] + line[1] * x)
        return float(weight @ np.logaddexp(0.0, -said)) + _RIDGE * far

    offset, slope = minimize(surprise, (0.0, 1.0), method="Nelder-Mead").x.tolist()
    return {"offset": round(offset, 2), "slope": round(slope, 2)}


def _bins(found: Readings) -> list[dict[str, Any]]:
    rows = (_row(found, low, high) for low, high in pairwise(EDGES))
    return [row for row in rows if row["count"]]


def _row(found: Readings, low: float, high: float) -> dict[str, Any]:
    some = found.only(_within(found.probability, low, high))
    return {
        "from": low,
        "to": high,
        "count": len(some),
        "mean": _mean(some.probability),
        "right": _mean(some.right),
        "united": _mean(some.united),
    }


def _within(said: Vector, low: float, high: float) -> Mask:
    below = said <= high if high == 1 else said < high
    inside: Mask = (said >= low) & below
    return inside


def _mean(column: Vector | Mask) -> float | None:
    return round(float(column.mean()), DIGITS) if len(column) else None


def _log_odds(said: Vector) -> Vector:
    inside = np.clip(said, _CERTAIN, 1 - _CERTAIN)
    return np.asarray(np.log(inside / (1 - inside)))
