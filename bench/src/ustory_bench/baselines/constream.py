"""ConStream: condensed droplets that fade, and a standard score to join one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any, ClassVar

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.baselines.droplets import (
    Background,
    Droplet,
    History,
    Point,
    Space,
    fading,
    sentence_space,
    word_space,
)
from ustory_bench.baselines.windowed import Turn, WindowedDiscoverer
from ustory_bench.system import System

_LIMITS = {
    "score": (0, "it is a standard score, 0 to 3"),
    "half_life": (0.001, "it is the days until an article counts half"),
    "droplets": (1, "it is how many droplets there may be"),
    "idle": (0, "it is the days until a droplet may be replaced"),
    "expected": (-1, "it is a cosine similarity"),
    "spread": (0, "it is a standard deviation of similarities"),
    "trust": (0.001, "it is how many articles the lent history stands for"),
    "background": (0.001, "it is the days until an article counts half in the idf"),
    "title": (0.001, "it is how much more a word weighs that is in the title, too"),
}
"""The least value of each parameter, and what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """What can be tuned of ConStream."""

    score: float = 1.0
    """z: an article joins from z standard deviations below the mean upwards."""
    half_life: float = 2.0
    """Days after which an article counts half in its droplet: 1/λ."""
    droplets: int = 500
    """k: how many droplets there may be."""
    idle: float = 1.0
    """Days without an article after which a droplet is inactive."""
    expected: float = 0.25
    """Mean similarity of the history that a new droplet is lent."""
    spread: float = 0.08
    """Standard deviation of that history."""
    trust: float = 3.0
    """How many articles that history stands for."""
    background: float = 30.0
    """Days after which an article counts half in the document frequencies."""
    title: float = 2.0
    """How much more a word weighs that is in the title, too."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            least, meaning = _LIMITS[name]
            whole = name == "droplets"
            kinds = (int,) if whole else (int, float)
            if isinstance(value, bool) or not isinstance(value, kinds):
                words = "a whole number" if whole else "a number"
                raise ConfigError(f"{name} must be {words}, got {value!r}; {meaning}")
            if not least <= value < inf:
                raise ConfigError(
                    f"{name} must be at least {least} and finite, got {value}; "
                    + meaning
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """All that is kept of the stream: at most k droplets, and the background."""

    droplets: Mapping[str, Droplet] = field(default_factory=dict)
    """By the story that each is, the oldest first."""
    background: Background = field(default_factory=Background)


class ConStream(WindowedDiscoverer[Memory]):
    """Droplets as stories (Aggarwal & Yu 2010)."""

    memory_type: ClassVar[type] = Memory

    def __init__(
        self, settings: Settings, parameters: Parameters, dim: int | None = None
    ) -> None:
        """Compare words, or sentence vectors of `dim` numbers where that is given."""
        super().__init__(settings, dim=dim, **asdict(parameters))
        self._parameters = parameters
        self._dim = dim

    def settle(self, turn: Turn[Memory]) -> tuple[Mapping[str, str | None], Memory]:
        """Give each new article to a droplet, one after the other.

        A droplet lives as long as an article of its story is in the window: the
        story has expired after that, and its id must not come back.
        """
        if not turn.new:
            return turn.story, turn.memory
        live = turn.members.keys()
        kept = {k: d for k, d in turn.memory.droplets.items() if k in live}
        background, space = self._space(turn, kept)
        pool = _Pool(self._parameters, space, kept)
        story = dict(turn.story)
        for document in turn.new:
            point = space.point(document)
            story[document.id] = pool.place(point, document.day, turn.new_story)
        return story, Memory(droplets=pool.droplets(), background=background)

    def _space(
        self, turn: Turn[Memory], kept: Mapping[str, Droplet]
    ) -> tuple[Background, Space]:
        before = turn.memory.background
        if self._dim is not None:
            return before, sentence_space(self._dim)
        after = before.after(turn.new, self._parameters.background)
        return after, word_space(after, turn.new, kept.values(), self._parameters.title)


@dataclass(slots=True)
class _Open:
    """A droplet while a slide is settled: its sums lie along the axes of a space."""

    row: Vector
    norm: float
    weight: float
    last: float
    history: History


class _Pool:
    """The droplets while a slide is settled; articles change them as they come."""

    def __init__(
        self, given: Parameters, space: Space, droplets: Mapping[str, Droplet]
    ) -> None:
        self._given = given
        self._space = space
        self._lent = History.of(given.trust, given.expected, given.spread)
        self._open: dict[str, _Open] = {}
        for story, one in droplets.items():
            row = space.row(one)
            norm = space.norm(row)
            self._open[story] = _Open(row, norm, one.weight, one.last, one.history)

    def place(self, point: Point, day: float, new_story: Callable[[], str]) -> str:
        """Return the story of an article: the nearest droplet, or one of its own."""
        found = self._nearest(point)
        if found is not None and self._takes(*found, day):
            self._add(*found, point, day)
            return found[0]
        story = new_story()
        axes, values = point
        row = np.zeros(len(self._space.squared))
        row[axes] = values
        self._open[story] = _Open(row, self._space.norm(row), 1.0, day, History())
        return story

    def droplets(self) -> dict[str, Droplet]:
        """Return the droplets as they are kept between slides."""
        kept = {}
        for story, one in self._open.items():
            words, sums = self._space.sums(one.row)
            kept[story] = Droplet(
                words=words,
                sums=sums,
                weight=one.weight,
                last=one.last,
                history=one.history,
            )
        return kept

    def _nearest(self, point: Point) -> tuple[str, float] | None:
        """Return the droplet of the largest cosine, the oldest of equals."""
        best: tuple[str, float] | None = None
        for story, one in self._open.items():
            inner = self._space.inner(point, one.row)
            similarity = inner / one.norm if one.norm else 0.0
            if best is None or similarity > best[1]:
                best = story, similarity
        return best

    def _takes(self, story: str, similarity: float, day: float) -> bool:
        """Say whether an article joins the droplet that is nearest to it.

        It does unless it is an outlier by the droplet's history. An outlier takes
        the place of the droplet that was inactive longest once there are k of
        them; it has to join after all if none is inactive.
        """
        history = self._open[story].history.and_(self._lent)
        if similarity >= history.at(-self._given.score):
            return True
        if len(self._open) < self._given.droplets:
            return False
        idlest = min(self._open, key=lambda each: self._open[each].last)
        if day - self._open[idlest].last < self._given.idle:
            return True
        del self._open[idlest]
        return False

    def _add(self, story: str, similarity: float, point: Point, day: float) -> None:
        """Let a droplet fade until now, and add an article; a late one has faded."""
        one, (axes, values) = self._open[story], point
        now = max(one.last, day)
        old = fading(now - one.last, self._given.half_life)
        new = fading(now - day, self._given.half_life)
        one.row *= old
        one.row[axes] += new * values
        one.norm = self._space.norm(one.row)
        one.weight = one.weight * old + new
        one.last = now
        one.history = one.history.and_(History.of(1, similarity, 0))


def build(settings: Settings, encoder: Encoder, **changes: Any) -> ConStream:  # noqa: ANN401
    """Return ConStream on words; the encoder is not used."""
    del encoder
    return ConStream(settings, Parameters(**changes))


def build_pse(settings: Settings, encoder: Encoder, **changes: Any) -> ConStream:  # noqa: ANN401
    """Return ConStream on the mean of sentence vectors."""
    return ConStream(settings, Parameters(**changes), encoder.dim)


_CITATION = (
    "C. C. Aggarwal, P. S. Yu: On clustering massive text and categorical data "
    "streams, Knowledge and Information Systems 24(2), 2010"
)
_SCORES = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
_CHOICES = (
    "A droplet is a story. Droplets are not grouped further, which the original does "
    "at the request of a user who gives a number of clusters; the co-occurrences "
    "(DF2) that only such requests read are not kept.",
    "The history of a droplet is of the similarities with which articles joined it. "
    "A new droplet has none and is lent one, of a few articles with an expected mean "
    "and deviation: without labels something must say what near means at the start. "
    "Lending it what other droplets have seen was far worse.",
    "A droplet is dropped when all articles of its story have left the window: a "
    "story that has expired must not come back.",
    "Fading is by days and not by number of articles; an article that comes late "
    "counts as if it had come in time and had faded since.",
    "k is more than the development streams ever need; where it is reached, the "
    "longest inactive droplet makes room, and its story gets no more articles.",
    "Defaults are of the two development streams together.",
)

SYSTEM = System(
    name="constream",
    build=build,
    citation=_CITATION,
    parameters=asdict(Parameters()),
    ranges={"score": _SCORES, "expected": (0.19, 0.22, 0.25, 0.28, 0.31)},
    choices=(
        *_CHOICES,
        "Words weigh (1 + ln tf) · ln(1 + n / df), over the stream as it fades: over "
        "the window was worse, and so were pairs of words. Those of the title weigh "
        "twice.",
    ),
)

_DENSE = asdict(Parameters(expected=0.62, spread=0.1, trust=2.0))
PSE = System(
    name="constream-pse",
    build=build_pse,
    citation=_CITATION,
    # the last two are about words
    parameters={k: v for k, v in _DENSE.items() if k not in ("background", "title")},
    ranges={"score": _SCORES, "expected": (0.55, 0.6, 0.62, 0.65, 0.7)},
    choices=(*_CHOICES, "An article is the mean of its sentence vectors."),
)
