"""What each story has of its own, and what it shares with others of its kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Vector
from ustory_bench.simulate.draws import Draws, draw, fractions
from ustory_bench.simulate.kinds import KINDS
from ustory_bench.simulate.plan import SimulationPlan
from ustory_bench.simulate.scenes import scenes
from ustory_bench.simulate.stories import Cast

_CROWDED = 1.25  # the power of a share: some subjects have more stories than others
_IN_SIGHT = 11  # days: a story's life and a window


@dataclass(frozen=True, slots=True)
class Traits:
    """What some stories are made of: keys that their words are drawn by."""

    kind: Indices
    """What happens."""
    scene: Indices
    """Where: in which trade, sport or place."""
    subject: Draws
    circle: Draws
    """Of the names that stories of its subject have in common; the second of two
    twins has other ones."""
    words: Draws
    """Of its nouns, verbs and adjectives; twins have it in common."""
    names: Draws
    """Of its people, places, organisations and figures."""
    begin: Vector
    """Its first day, with the fraction."""


class Characters:
    """Knows the traits of every story, and of noise as stories of one article."""

    def __init__(self, plan: SimulationPlan, cast: Cast) -> None:
        self._key = draw(np.uint64(plan.seed), 3)
        number = np.arange(len(cast.size))
        self._theme = _leader(number, cast.twin)
        self._subject = np.minimum(self._theme, _leader(number, cast.partner))
        self._second = (cast.twin >= 0) & (cast.twin < number)
        self._begin = cast.begin
        self._subjects = subjects(plan)
        self._scenes = np.uint64(len(scenes()))

    def of(self, story: Indices) -> Traits:
        """Return the traits of stories by number, those of noise among them."""
        known = story < len(self._theme)
        place = story[known]
        theme, subject, begin = story.copy(), story.copy(), np.zeros(len(story))
        second = np.zeros(len(story), dtype=np.bool_)
        second[known] = self._second[place]
        theme[known] = self._theme[place]
        subject[known] = self._subject[place]
        begin[known] = self._begin[place]
        luck = fractions(draw(self._key, 0, subject))
        about = (self._subjects * luck**_CROWDED).astype(np.uint64)
        return Traits(
            kind=(about % np.uint64(len(KINDS))).astype(np.int64),
            scene=(draw(self._key, 4, about) % self._scenes).astype(np.int64),
            subject=draw(self._key, 1, about),
            circle=np.where(
                second, draw(self._key, 6, story), draw(self._key, 5, about)
            ),
            words=draw(self._key, 2, theme),
            names=draw(self._key, 3, story),
            begin=begin,
        )


def _leader(number: Indices, other: Indices) -> Indices:
    """Return the lower number of each pair, and of those alone their own."""
    return np.where(other >= 0, np.minimum(number, other), number)


def subjects(plan: SimulationPlan) -> int:
    """Return how many subjects there are: more news is of more of them.

    So no subject gets crowded when a stream is large.
    """
    in_sight = plan.story_count * min(_IN_SIGHT / plan.days, 1.0)
    return max(2 * len(KINDS), round(in_sight))
