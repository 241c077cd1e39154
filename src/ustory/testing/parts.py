"""Parts small enough for tests: an encoder, a stream of articles, a clock."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from itertools import zip_longest

import numpy as np

from ustory.core.arrays import SentenceVectors, Vector
from ustory.core.article import Article, PreparedArticle, TermCounts
from ustory.core.story import Slide

_DIM = 32
_WORD = re.compile(r"\w+")


class TinyEncoder:
    """Counts hashed words: each adds 1 or -1 to one of 32 places.

    Sentences that share words are similar, which is all a test of the method
    needs. Word order and letter case do not matter.
    """

    name = "tiny"

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return _DIM

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order.

        The first axis stands for a sentence without words, or whose words
        cancel each other out.
        """
        rows = np.zeros((len(sentences), _DIM), dtype=np.float16)
        for place, sentence in enumerate(sentences):
            rows[place] = _row(sentence)
        return rows


def _row(sentence: str) -> Vector:
    row = np.zeros(_DIM)
    for word in _WORD.findall(sentence.casefold()):
        place, sign = _bucket(word)
        row[place] += sign
    if not row.any():
        row[0] = 1.0
    unit: Vector = row / np.sqrt(np.square(row).sum())
    return unit


@lru_cache(maxsize=100_000)
def _bucket(word: str) -> tuple[int, int]:
    """Return the place of a word and its sign, whatever PYTHONHASHSEED is."""
    digest = blake2b(word.encode("utf-8", "replace"), digest_size=2).digest()
    return digest[0] % _DIM, 1 if digest[1] % 2 else -1


START = datetime(2024, 3, 4, tzinfo=UTC)
DAY = timedelta(days=1)
LATE, SIBLING, TOO_LATE = "late", "flood-1-0", "too-late"
"""The late article was published with its sibling and came a day after it."""

_QUIET = 15
_LONG_AFTER = 400

_TOPICS = {
    "flood": (
        "The river flood reached the old town of Velm before dawn",
        "Rescue boats took families from the flooded streets of Velm",
        "The flood barrier on the river failed after three days of rain",
        "Velm opened its school to families who fled the river flood",
    ),
    "vote": (
        "The senate vote on the harbour law was put off again",
        "Senators traded amendments to the harbour law before the vote",
        "A recount of the senate vote left the harbour law one voice short",
        "Dock unions asked the senate to drop the harbour law",
    ),
    "final": (
        "The coach of Orsa named a young team for the cup final",
        "Orsa won the cup final with a goal in the last minute",
        "The goal that decided the cup final came from a corner for Orsa",
        "Fans met the team of Orsa with the cup at the station",
    ),
}
_PLAN: tuple[dict[str, int], ...] = (
    {"flood": 4, "vote": 4},
    {"flood": 3, "vote": 3, "final": 4},
    {"flood": 2, "final": 3},
    {},
    {"final": 2},
)
"""How many articles each topic has, day by day."""


def tiny_slides() -> tuple[Slide, ...]:
    """Return daily slides of three stories, quiet days, and a return after a year.

    On the third day an article of the day before comes in late, and one that is
    older than any window; on the last day the first topic is back, long after
    its story left the window.
    """
    slides = [
        Slide(end=START + (day + 1) * DAY, articles=_articles(day, plan))
        for day, plan in enumerate(_PLAN)
    ]
    late = [
        _article(LATE, "flood", 1, START + DAY + timedelta(hours=9)),
        _article(TOO_LATE, "vote", 1, START - _LONG_AFTER * DAY),
    ]
    slides[2] = Slide(end=slides[2].end, articles=[*slides[2].articles, *late])
    quiet = range(len(_PLAN), len(_PLAN) + _QUIET)
    slides += [Slide(end=START + (day + 1) * DAY) for day in quiet]
    again = _articles(_LONG_AFTER, {"flood": 4})
    slides.append(Slide(end=START + (_LONG_AFTER + 1) * DAY, articles=again))
    return tuple(slides)


def _articles(day: int, plan: dict[str, int]) -> list[PreparedArticle]:
    return [
        _article(f"{topic}-{day}-{place}", topic, place, START + day * DAY + hour)
        for topic, count in plan.items()
        for place, hour in enumerate(timedelta(hours=9 + n) for n in range(count))
    ]


def _article(name: str, topic: str, place: int, at: datetime) -> PreparedArticle:
    """Return an article of three of the topic's sentences, from the `place`-th on."""
    pool = _TOPICS[topic]
    sentences = tuple(pool[(place + n) % len(pool)] for n in range(3))
    return PreparedArticle(
        article=Article(
            id=name,
            published_at=at,
            title=sentences[0],
            text=". ".join(sentences[1:]),
            label=topic,
        ),
        sentences=sentences,
        counts=count_words(sentences),
        vectors=TinyEncoder().encode(sentences),
    )


def count_words(sentences: Sequence[str]) -> TermCounts:
    """Count the words and the pairs of words of each sentence, as they are written.

    >>> count_words(["Old town, old bridge"]).terms
    ('old', 'old town', 'old bridge', 'town', 'town old', 'bridge')
    """
    spoken = [_WORD.findall(sentence.casefold()) for sentence in sentences]
    words = list(dict.fromkeys(word for said in spoken for word in said))
    number = {word: place for place, word in enumerate(words)}
    cells: Counter[tuple[int, int, int]] = Counter()
    for place, said in enumerate(spoken):
        for first, second in zip_longest(said, said[1:]):
            cells[number[first], -1, place] += 1
            if second is not None:
                cells[number[first], number[second], place] += 1
    ordered = sorted(cells)
    terms = sorted({(first, second) for first, second, _ in ordered})
    rank = {term: place for place, term in enumerate(terms)}
    term = np.array([rank[a, b] for a, b, _ in ordered], dtype=np.int32)
    count = np.array([cells[cell] for cell in ordered], dtype=np.int32)
    return TermCounts(
        words=tuple(words),
        first=np.array([first for first, _ in terms], dtype=np.int32),
        second=np.array([second for _, second in terms], dtype=np.int32),
        tf=np.bincount(term, count, len(terms)).astype(np.int32),
        cells=np.bincount(term, minlength=len(terms)).astype(np.int32),
        term=term,
        sentence=np.array([place for _, _, place in ordered], dtype=np.int32),
        count=count,
    )


@dataclass
class HandClock:
    """A clock that is set by hand. Mutable."""

    time: datetime

    def __call__(self) -> datetime:
        """Return the time."""
        return self.time

    def after(self, now: datetime, claim: datetime) -> datetime:
        """Return `now`: what articles claim moves nothing."""
        del claim
        return now

    def reached(self, moment: datetime) -> None:
        """Do nothing."""
        del moment

    def move(self, **span: float) -> None:
        """Let time pass."""
        self.time += timedelta(**span)
