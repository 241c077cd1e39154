"""What a run of mode `links` says of pairs and of articles, and what the labels say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.settings import Settings
from ustory.core.story import LinkDecision
from ustory.engine.online import Engine
from ustory.engine.state import State
from ustory.links.prior import probability
from ustory.links.slide import log_odds, parts_of, unit_of
from ustory_bench.quality.streams import parts
from ustory_bench.runner.follow import prepared_slides
from ustory_bench.runner.streams import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """Probabilities that were told, each with what came true, as columns."""

    probability: Vector
    right: Mask
    """Whether the labels say so: one label, or the label of most of the story."""
    size: Indices
    """Of a pair: articles with the label of the newer. Of an article: its story."""
    length: Indices
    """Words and pairs of words in the article; of a pair, in the shorter one."""
    united: Mask
    """Of a pair: whether both ended in one story. Of an article: always true."""

    def __len__(self) -> int:
        return len(self.probability)

    def only(self, kept: Mask) -> Readings:
        """Return some of them."""
        return Readings(
            probability=self.probability[kept],
            right=self.right[kept],
            size=self.size[kept],
            length=self.length[kept],
            united=self.united[kept],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamReadings:
    """The four kinds of readings of one run."""

    arrival: Readings
    """Pairs, when the slide of the newer article ends."""
    settled: Readings
    """The same pairs, after the last slide in which the window holds both."""
    first: Readings
    """Articles, by the first decision that put them into a story."""
    last: Readings
    """Articles, by the last decision there was."""


def read_run(stream: Stream, settings: Settings) -> StreamReadings:
    """Run the engine over a stream, and return what it said against the labels."""
    engine = Engine(settings, parts()[1])
    run, state = _Run(stream.truth, settings), engine.begin()
    for slide in prepared_slides(stream.articles, settings):
        before = state.link.next_serial
        state, _ = engine.advance(state, slide)
        run.read(state, before)
    return run.readings()


@dataclass(slots=True)
class _Pair:
    """A pair of articles, and what was last said of it."""

    articles: tuple[str, str]
    length: int
    arrival: float
    settled: float


@dataclass(slots=True)
class _Placing:
    """What was first said of an article, and whether it was right."""

    probability: float
    right: bool
    size: int


class _Run:
    """Everything that was said in a run so far. Mutable: each slide adds to it."""

    def __init__(self, truth: Mapping[str, str | None], settings: Settings) -> None:
        self._truth = {a: label for a, label in truth.items() if label is not None}
        self._unit, self._parts = unit_of(settings), parts_of(settings)
        self._pairs: dict[tuple[int, int], _Pair] = {}
        self._first: dict[str, _Placing | None] = {}
        self._last: dict[str, float] = {}
        self._story: dict[str, str | None] = {}
        self._length: dict[str, int] = {}

    def read(self, state: State, first_serial: int) -> None:
        """Take in what a state says; articles from `first_serial` on are new."""
        self._read_pairs(state, first_serial)
        link = state.link
        members = _by_story(link.story.items())
        for article in link.articles.values():
            self._length[article.id] = article.length
            story = self._story[article.id] = link.story.get(article.id)
            decision = state.records[article.id].decision
            if story is None or not isinstance(decision, LinkDecision):
                continue
            self._last[article.id] = decision.probability
            if article.id not in self._first:
                right = self._is_right(article.id, members[story])
                self._first[article.id] = None
                if right is not None:
                    size = len(members[story])
                    self._first[article.id] = _Placing(
                        decision.probability, right, size
                    )

    def _read_pairs(self, state: State, first_serial: int) -> None:
        link, known = state.link, self._pairs
        at = {article.serial: article for article in link.articles.values()}
        likely = probability(log_odds(link, self._unit, self._parts)).tolist()
        ends = zip(link.links.older.tolist(), link.links.newer.tolist(), strict=True)
        for pair, said in zip(ends, likely, strict=True):
            if pair in known:
                known[pair].settled = said
                continue
            older, newer = at[pair[0]], at[pair[1]]
            if newer.serial < first_serial:
                continue  # handed on from an original that left to its copy
            if older.id in self._truth and newer.id in self._truth:
                length = min(older.length, newer.length)
                known[pair] = _Pair((older.id, newer.id), length, said, said)

    def _is_right(self, article: str, held: Sequence[str]) -> bool | None:
        """Whether no label is more frequent among the others of a story."""
        own = self._truth.get(article)
        others = Counter(
            self._truth[each]
            for each in held
            if each != article and each in self._truth
        )
        if own is None or not others:
            return None
        return others[own] == max(others.values())

    def readings(self) -> StreamReadings:
        """Return all that was read."""
        sizes = Counter(self._truth.values())
        pairs = list(self._pairs.values())
        truth = [tuple(self._truth[a] for a in pair.articles) for pair in pairs]
        stories = [tuple(self._story[a] for a in pair.articles) for pair in pairs]
        same = np.array([one == other for one, other in truth], dtype=bool)
        size = np.array([sizes[newer] for _, newer in truth], dtype=np.int64)
        length = np.array([pair.length for pair in pairs], dtype=np.int64)
        united = np.array([a is not None and a == b for a, b in stories], dtype=bool)
        said = [(pair.arrival, pair.settled) for pair in pairs]
        arrival, settled = np.array(said, dtype=np.float64).reshape(-1, 2).T
        return StreamReadings(
            arrival=_readings(arrival, same, size, length, united),
            settled=_readings(settled, same, size, length, united),
            first=self._placings(self._first),
            last=self._placings(self._final()),
        )

    def _final(self) -> dict[str, _Placing | None]:
        """Return the last decision on each article, against its story in the end."""
        members = _by_story(
            (article, story)
            for article, story in self._story.items()
            if story is not None
        )
        found: dict[str, _Placing | None] = {}
        for article, said in self._last.items():
            story = self._story[article]
            if story is None:
                continue  # it was let go in the end
            right = self._is_right(article, members[story])
            if right is not None:
                found[article] = _Placing(said, right, len(members[story]))
        return found

    def _placings(self, found: Mapping[str, _Placing | None]) -> Readings:
        kept = [(name, each) for name, each in found.items() if each is not None]
        return _readings(
            np.array([each.probability for _, each in kept], dtype=np.float64),
            np.array([each.right for _, each in kept], dtype=bool),
            np.array([each.size for _, each in kept], dtype=np.int64),
            np.array([self._length[name] for name, _ in kept], dtype=np.int64),
            np.ones(len(kept), dtype=bool),
        )


def _readings(
    said: Vector, right: Mask, size: Indices, length: Indices, united: Mask
) -> Readings:
    return Readings(
        probability=said, right=right, size=size, length=length, united=united
    )


def _by_story(placed: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for article, story in placed:
        found[story].append(article)
    return found
