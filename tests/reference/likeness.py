"""What speaks for a link, formula by formula: words, meaning, time and contrast."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.reference.gists import carried
from tests.reference.records import Terms, place
from ustory.core.arrays import Vector
from ustory.core.article import PreparedArticle
from ustory.links.article import TITLE
from ustory.links.background import HALF_LIFE
from ustory.links.evidence.meaning import (
    BESIDE_GIST,
    MEANING,
    MEANING_EVEN,
    PLAIN,
    STALE,
)
from ustory.links.evidence.time import DOUBT, MOST, NODES, PLACES, RARELY
from ustory.links.evidence.words import BODY, BODY_EVEN, HALF, LEAD, LEAD_EVEN
from ustory.links.prior import CONTRAST, USUAL_BEST
from ustory.links.sentence_terms import LEAD as LEAD_SENTENCES

# numbers are decisions (docs/decisions/0020); what is done with them is told anew here


@dataclass(frozen=True, slots=True)
class Told:
    """An article of the window."""

    id: str
    serial: int
    pane: int
    day: float
    source: str
    terms: Terms
    title: frozenset[str]
    """Terms of the title."""
    lead: Terms
    """Words of the title and of the first three sentences after it."""
    vector: Vector
    lang: str
    gist: Vector | None
    """Title and lead in whole numbers over 2048; None for an article without."""
    names: frozenset[str]
    """What its names and numbers are known by."""


def told(prepared: PreparedArticle, pane: int, day: float, serial: int) -> Told:
    """Return an article with its title, lead and mean vector."""
    placed = place(prepared, pane, day)
    title = 1 if prepared.article.title.strip() else 0
    lead: Terms = {}
    for sentence in placed.counts[: title + LEAD_SENTENCES]:
        for term, count in sentence.items():
            if " " not in term:
                lead[term] = lead.get(term, 0) + count
    vector = np.zeros(placed.vectors.shape[1])
    for row in placed.vectors:
        vector = vector + row / len(placed.vectors)
    length = math.sqrt(sum(x * x for x in vector))
    return Told(
        prepared.article.id,
        serial,
        pane,
        day,
        prepared.article.source or "",
        placed.terms,
        frozenset(placed.counts[0]) if title else frozenset(),
        lead,
        vector / length if length else vector,
        *carried(prepared),
    )


def faded(days: float) -> float:
    """Return what is left of a count: half of it after 30 days."""
    return math.pow(0.5, max(days, 0.0) / HALF_LIFE)


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the cosine of two sparse vectors, 0 where one of them is empty."""
    product = sum(weight * other.get(term, 0.0) for term, weight in one.items())
    lengths = math.sqrt(sum(w * w for w in one.values()))
    lengths *= math.sqrt(sum(w * w for w in other.values()))
    return product / lengths if lengths else 0.0


@dataclass(slots=True)
class Counted:
    """How many articles have a term; n and df fade."""

    day: float = 0.0
    articles: float = 0.0
    df: dict[str, float] = field(default_factory=dict)

    def add(self, new: Iterable[Told], day: float) -> None:
        """Fade, then count."""
        left = faded(day - self.day)
        self.day, self.articles = day, self.articles * left
        self.df = {term: count * left for term, count in self.df.items()}
        for article in new:
            self.articles += 1
            for term in article.terms:
                self.df[term] = self.df.get(term, 0.0) + 1

    def weights(
        self, terms: Terms, title: frozenset[str] = frozenset()
    ) -> dict[str, float]:
        """Return (1 + ln tf) · ln(1 + n / df), twice of terms in the title."""
        return {
            term: (1 + math.log(tf))
            * math.log(1 + self.articles / self.df[term])
            * (TITLE if term in title else 1.0)
            for term, tf in terms.items()
        }


class Spread:
    """Mean and spread of the vectors; both fade, and are worked out now and then."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.day = self.articles = 0.0
        self.fresh = 0
        self.total = self.mean = np.zeros(dim)
        self.squares = self.scale = np.zeros((dim, dim))

    def add(self, new: Sequence[Told], day: float) -> None:
        """Fade, add, and work out anew once a tenth of all articles is new."""
        left = faded(day - self.day)
        self.day, self.articles = day, self.articles * left
        self.total, self.squares = self.total * left, self.squares * left
        for article in new:
            self.articles += 1
            self.fresh += 1
            self.total = self.total + article.vector
            self.squares = self.squares + np.outer(article.vector, article.vector)
        if self.fresh >= STALE * self.articles:
            self.fresh = 0
            self.mean = self.total / self.articles
            self.scale = inverse_root(self._spread())

    def _spread(self) -> Vector:
        spread = self.squares / self.articles - np.outer(self.mean, self.mean)
        even = max(sum(spread[i, i] for i in range(self.dim)) / self.dim, 2.0**-52)
        for i in range(self.dim):
            for j in range(self.dim):
                added = PLAIN * even if i == j else 0.0
                total = self.articles * spread[i, j] + added
                spread[i, j] = total / (self.articles + PLAIN)
        return spread

    def cosine(self, one: Told, other: Told) -> float:
        """Return x S⁻½ y, less what the lengths add: cosines half-way to whitened."""
        x, y = one.vector - self.mean, other.vector - self.mean
        if min(math.sqrt(x @ x), math.sqrt(y @ y)) < 1e-6:
            return 0.0  # the mean itself, but for rounding: it has no direction
        lengths = math.sqrt((x @ self.scale @ x) * (y @ self.scale @ y))
        return float(x @ self.scale @ y) / lengths


def inverse_root(matrix: Vector) -> Vector:
    """Return the inverse square root of a matrix (Denman & Beavers 1976)."""
    size = float(np.trace(matrix)) / len(matrix)
    root, inverse = matrix / size, np.eye(len(matrix))
    for _ in range(60):
        root, inverse = (
            (root + np.linalg.inv(inverse)) / 2,
            (inverse + np.linalg.inv(root)) / 2,
        )
    return np.asarray(inverse / math.sqrt(size))


def beside(gap: float) -> dict[int, float]:
    """Return the nodes left and right of a gap, and how much of it is each one's."""
    gap = min(max(gap, PLACES[0]), PLACES[-1])
    for node in range(NODES - 1):
        low, high = PLACES[node], PLACES[node + 1]
        if low <= gap <= high:
            part = (gap - low) / (high - low)
            return {node: 1 - part, node + 1: part}
    raise AssertionError(gap)


@dataclass(slots=True)
class Apart:
    """Gaps of pairs of one story and of two, in sevenths of W."""

    day: float = 0.0
    same: list[float] = field(default_factory=lambda: [0.0] * NODES)
    other: list[float] = field(default_factory=lambda: [0.0] * NODES)

    def fade(self, day: float) -> None:
        """Let counts fade."""
        left = faded(day - self.day)
        self.day = day
        self.same = [count * left for count in self.same]
        self.other = [count * left for count in self.other]

    def count(self, likely: float, gap: float) -> None:
        """Count a pair that is one story with this probability."""
        for node, part in beside(gap).items():
            self.same[node] += part * likely
            self.other[node] += part * (1 - likely)

    def log_ratio(self) -> list[float]:
        """Return ln P(gap | one story) − ln P(gap | two), within bounds."""
        pairs = min(sum(self.same), sum(self.other))
        doubt = DOUBT / (pairs + DOUBT)
        both = shares([s + o for s, o in zip(self.same, self.other, strict=True)])
        found = []
        for node in range(NODES):
            even = doubt * (both[node] + 1 / NODES) / 2 + RARELY
            same = (1 - doubt) * shares(self.same)[node] + even
            other = (1 - doubt) * shares(self.other)[node] + even
            ratio = math.log(same) - math.log(other)
            found.append(min(max(ratio, -MOST), MOST))
        return found

    def evidence(self, gap: float) -> float:
        """Return the log ratio at a gap, on a line between its two nodes."""
        ratio = self.log_ratio()
        return sum(part * ratio[node] for node, part in beside(gap).items())


def shares(counts: Sequence[float]) -> list[float]:
    """Return counts that sum to 1, or all 0."""
    total = sum(counts)
    return [count / total if total else 0.0 for count in counts]


def word_log_odds(body: float, lead: float | None) -> float:
    """Return what word cosines say; where leads are left out, bodies count for both."""
    by_body = math.sqrt(max(body, 0.0)) - math.sqrt(BODY_EVEN)
    if lead is None:
        return (BODY + LEAD) * by_body
    return BODY * by_body + LEAD * (math.sqrt(max(lead, 0.0)) - math.sqrt(LEAD_EVEN))


def reliability(terms: int) -> float:
    """Return how much the words of a text of so many terms say."""
    return terms / (terms + HALF)


def meaning_log_odds(near: float, said: float, *, gists: bool) -> float:
    """Return what the cosine of meanings says where the words say so much.

    It says less where a gist says it, too.
    """
    odds = MEANING * (near - MEANING_EVEN) * (1 - said)
    return odds * (1 - BESIDE_GIST * (1 - said)) if gists else odds


def contrast(one: float, other: float) -> float:
    """Return what a pair gains or loses by the best links of its two articles."""
    return CONTRAST * (USUAL_BEST - max((one + other) / 2, 0.0))
