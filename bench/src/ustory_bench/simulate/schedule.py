"""When each article appears, and of what it tells: all but its words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory_bench.simulate.draws import draw, fractions
from ustory_bench.simulate.plan import SimulationPlan
from ustory_bench.simulate.stories import Cast, Life

DAY = 86_400
"""Seconds."""

_FADE = 3.0  # a burst is e^-3 of itself when it ends
_RECENT = 2 * DAY
_HOURS = (2, 1, 1, 1, 2, 4, 7, 9, 10, 10, 9, 9, 8, 8, 9, 10, 10, 9, 8, 7, 6, 5, 4, 3)
"""How much appears in each hour of the day, in UTC."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The articles of a stream in order of time; some twenty bytes for each."""

    second: Indices
    """Since the start of the stream."""
    story: Indices
    """Its number; noise is numbered behind the last story."""
    origin: Indices
    """The article whose words it has: itself, or an earlier one of its story."""
    both: Mask
    """Whether it also tells of the partner of its story: merged, or broken away."""


def schedule_articles(plan: SimulationPlan, cast: Cast) -> Schedule:
    """Return the articles of all stories and the noise, by time."""
    key = draw(np.uint64(plan.seed), 2)
    story = np.repeat(np.arange(len(cast.size)), cast.size)
    place = np.arange(len(story)) - np.repeat(cast.size.cumsum() - cast.size, cast.size)
    luck = fractions(draw(key, 0, np.arange(len(story))))
    part = (place + luck) / cast.size[story]
    told = _moments(cast, story, part)
    noise = np.arange(plan.noise_count)
    both = np.zeros(plan.articles, dtype=np.bool_)
    both[: len(story)] = _tells_of_both(cast, story, part)
    second = _clock(
        np.concatenate([told, plan.days * fractions(draw(key, 1, noise))]), plan.days
    )
    story = np.concatenate([story, len(cast.size) + noise]).astype(np.int32)
    copied = fractions(draw(key, 2, np.arange(len(story)))) < plan.copies
    origin = _origins(story, second, copied)
    order = np.lexsort((story, second))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return Schedule(second[order], story[order], rank[origin[order]], both[order])


def _moments(cast: Cast, story: Indices, part: Vector) -> Vector:
    """Return the day, with its fraction, of what comes after `part` of a story."""
    turn = cast.part[story]
    later = part >= turn
    inside = np.where(later, (part - turn) / np.maximum(1 - turn, 1e-9), part / turn)
    fading = -np.log1p(-inside * -np.expm1(-_FADE)) / _FADE
    inside = np.where(cast.fading(story, later), fading, inside)
    first = cast.begin[story] + inside * cast.length[story]
    return np.where(later, cast.again[story] + inside * cast.again_length[story], first)


def _tells_of_both(cast: Cast, story: Indices, part: Vector) -> Mask:
    life = cast.life[story]
    both: Mask = (life == Life.MERGING) & (part >= cast.part[story])
    both |= life == Life.BRANCH
    return both


def _clock(moment: Vector, days: int) -> Indices:
    """Return moments as seconds: nights are quiet, and the order stays as it is."""
    share = np.concatenate([[0.0], np.cumsum(_HOURS)]) / sum(_HOURS)
    day, part = np.divmod(moment, 1.0)
    within = np.interp(part, share, np.arange(len(share)) / (len(share) - 1))
    second = ((day + within) * DAY).astype(np.int64)
    return np.clip(second, 0, days * DAY - 1)


def _origins(story: Indices, second: Indices, copied: Mask) -> Indices:
    """Return whose words each article has; a story's articles come by time here."""
    place = np.arange(len(story))
    follows = np.zeros(len(story), dtype=np.bool_)
    follows[1:] = (np.diff(story) == 0) & (np.diff(second) <= _RECENT)
    return np.maximum.accumulate(np.where(follows & copied, 0, place))
