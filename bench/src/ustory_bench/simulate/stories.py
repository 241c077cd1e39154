"""The lives of the stories: when each begins, how long it lasts, what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ustory.core.arrays import Counts, Indices, Mask, Vector
from ustory_bench.simulate.draws import draw, fractions
from ustory_bench.simulate.plan import PER_STORY, SimulationPlan


class Life(IntEnum):
    """What becomes of a story."""

    BURST = 0
    """Much on the first day, less on each that follows."""
    LONG = 1
    """Evenly for weeks, with ever new sides to it."""
    REVIVED = 2
    """A burst, silence for more than a week, another burst."""
    MERGING = 3
    """Takes in its partner half way, and then speaks with the words of both."""
    ABSORBED = 4
    """Runs beside its partner until it is taken in, and ends there."""
    SPLITTING = 5
    """Goes on for itself when its partner breaks away from it."""
    BRANCH = 6
    """Breaks away from its partner, and keeps some of its words."""


_CYCLE = (
    Life.BURST, Life.LONG, Life.MERGING, Life.ABSORBED, Life.REVIVED, Life.SPLITTING,
    Life.BRANCH, *(Life.BURST,) * 4, Life.LONG, Life.LONG, *(Life.BURST,) * 3,
    Life.REVIVED, Life.LONG, *(Life.BURST,) * 2,
)  # fmt: skip
"""Given out in turn, so that a small stream has every life as well."""

PAIRED = (Life.ABSORBED, Life.BRANCH)
SILENCE = 9.0
"""Days that a story is silent before it is revived, at least."""

_ENOUGH = 6  # articles that show any other life than a burst
_TWIN_ENOUGH = 3
_DAYS_TO_TURN, _DAYS_TO_REVIVE, _MOST_SLACK = 3, 15, 5
_TAIL, _LARGEST = 1.5, 25.0  # of the sizes: Pareto's exponent, and the most
_SHORTEST, _LONGEST = 0.4, 12.0  # of the bursts: days, and how many times as much
_TWIN_LATE = 0.1  # of its life, by which a twin comes later at most


@dataclass(frozen=True, slots=True)
class Cast:
    """All stories of a stream, an array for each thing to know of them.

    A story is told in up to two parts: `part` of its articles from `begin` on, over
    `length` days, and the others from `again` on, over `again_length`.
    """

    size: Counts
    life: Indices
    partner: Indices
    """The other story of a merger or a split, -1 for none."""
    twin: Indices
    """The story that it differs from by names only, -1 for none."""
    begin: Vector
    length: Vector
    again: Vector
    again_length: Vector
    part: Vector

    def fading(self, story: Indices, later: Mask) -> Mask:
        """Say where reports become fewer with time; elsewhere they come evenly."""
        life = self.life[story]
        fades: Mask = np.isin(life, (Life.BURST, Life.REVIVED, Life.BRANCH))
        fades |= later & (life == Life.MERGING)
        return fades


def cast_stories(plan: SimulationPlan) -> Cast:
    """Return the stories of a plan, with their lives laid out over its days."""
    number = np.arange(plan.story_count)
    key = draw(np.uint64(plan.seed), 1)
    size = _sizes(plan, fractions(draw(key, 0, number)))
    order = np.argsort(draw(key, 1, number), kind="stable")
    life, partner = _lives(plan, size, order)
    twin = _twins(plan, size, life, order)
    luck = [fractions(draw(key, 2, purpose, number)) for purpose in range(4)]
    length, again_length = _lengths(plan, life, luck[0])
    slack = min(max(plan.days - _DAYS_TO_REVIVE, 0), _MOST_SLACK)
    pause = np.where(life == Life.REVIVED, SILENCE + slack * luck[1], 0.0)
    begin = luck[2] * (plan.days - length - pause - again_length)
    begin, length = _following(plan, (begin, length), (life, partner, twin), luck[3])
    return Cast(
        size=size, life=life, partner=partner, twin=twin, begin=begin, length=length,
        again=begin + length + pause, again_length=again_length,
        part=np.where(again_length > 0, 0.5, 1.0),
    )  # fmt: skip


def _sizes(plan: SimulationPlan, luck: Vector) -> Counts:
    """Share the articles out: few stories have many, and all have enough."""
    told = plan.articles - plan.noise_count - PER_STORY * len(luck)
    weight = np.minimum((1 - luck) ** (-1 / _TAIL), _LARGEST) - 0.9
    exact = told * weight / max(weight.sum(), 1e-9)
    size: Counts = np.floor(exact).astype(np.int64)
    left = told - int(size.sum())
    size[np.argsort(size - exact, kind="stable")[:left]] += 1
    size += PER_STORY
    return size


def _lives(
    plan: SimulationPlan, size: Counts, order: Indices
) -> tuple[Indices, Indices]:
    life = np.zeros(len(size), dtype=np.int8)
    partner = np.full(len(size), -1, dtype=np.int64)
    able = order[size[order] >= _ENOUGH]
    given = np.resize(np.array(_CYCLE, dtype=np.int8), len(able))
    if plan.days < _DAYS_TO_REVIVE:
        given[given == Life.REVIVED] = Life.BURST
    if plan.days < _DAYS_TO_TURN:
        given[given >= Life.MERGING] = Life.BURST
    if len(given) and given[-1] in (Life.MERGING, Life.SPLITTING):
        given[-1] = Life.BURST  # there is no partner left
    life[able] = given
    second = np.flatnonzero(np.isin(given, PAIRED))
    partner[able[second]] = able[second - 1]
    partner[able[second - 1]] = able[second]
    return life, partner


def _twins(
    plan: SimulationPlan, size: Counts, life: Indices, order: Indices
) -> Indices:
    """Pair stories of the same life; those with a partner are hard enough."""
    twin = np.full(len(size), -1, dtype=np.int64)
    wanted = round(plan.twins * len(size) / 2)
    for each in (Life.LONG, Life.BURST):
        able = order[(life[order] == each) & (size[order] >= _TWIN_ENOUGH)]
        pairs = min(wanted if each == Life.BURST else wanted // 4, len(able) // 2)
        first, second = able[: 2 * pairs : 2], able[1 : 2 * pairs : 2]
        twin[first], twin[second] = second, first
        wanted -= pairs
    return twin


def _lengths(
    plan: SimulationPlan, life: Indices, luck: Vector
) -> tuple[Vector, Vector]:
    """Return how many days each story takes, and how many when it goes on."""
    length = np.select(
        [life == Life.LONG, life == Life.REVIVED, life == Life.SPLITTING],
        [9 + 14 * luck, 1.5 + luck, 6 + 6 * luck],
        _SHORTEST * _LONGEST**luck,
    )
    again = np.where(np.isin(life, (Life.REVIVED, Life.MERGING)), 1.5 + luck, 0.0)
    squeeze = np.minimum(1.0, plan.days / (length + again))
    return length * squeeze, again * squeeze


def _following(
    plan: SimulationPlan,
    laid: tuple[Vector, Vector],
    known: tuple[Indices, Indices, Indices],
    luck: Vector,
) -> tuple[Vector, Vector]:
    """Bring twins and partners to the days of the story that they follow."""
    begin, length = laid
    life, partner, twin = known
    number = np.arange(len(life))
    leader = np.where(np.isin(life, PAIRED), partner, number)
    leader = np.where((twin >= 0) & (twin < number), twin, leader)
    share = np.select(
        [life == Life.ABSORBED, life == Life.BRANCH, leader != number],
        [0.3 * luck, np.full(len(life), 0.4), _TWIN_LATE * luck],
        0.0,
    )
    late = share * length[leader]
    ends_together = np.isin(life, PAIRED)
    length = length[leader] - np.where(ends_together, late, 0.0)
    begin = np.minimum(begin[leader] + late, plan.days - length)
    return begin, length
