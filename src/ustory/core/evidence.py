"""Evidence that two articles report one story: the contract, found by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ustory.core import registry
from ustory.core.arrays import Indices, Mask, Matrix, Vector
from ustory.core.article import PreparedArticle
from ustory.core.errors import ConfigError

GROUP = "evidence"
"""Evidence is registered under the entry points `ustory.evidence`."""


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """In how many articles of a window each key of a column is."""

    keys: Indices
    """Distinct, ascending."""
    count: Indices
    articles: int

    @classmethod
    def of(cls, columns: Sequence[NDArray[Any]]) -> KeyCounts:
        """Return the counts of columns in which no key is twice."""
        every = np.concatenate([np.zeros(0, dtype=np.int64), *columns])
        keys, count = np.unique(every, return_counts=True)
        return cls(keys, count, len(columns))

    def with_one(self, column: NDArray[Any]) -> KeyCounts:
        """Return the counts with one more article."""
        keys = np.union1d(self.keys, column)
        count = np.isin(keys, column, assume_unique=True).astype(np.int64)
        count[np.searchsorted(keys, self.keys)] += self.count
        return KeyCounts(keys, count, self.articles + 1)

    def weight(self, keys: Indices) -> Vector:
        """Return ln(1 + n / df) of keys that are among them."""
        count = self.count[np.searchsorted(self.keys, keys)]
        return np.asarray(np.log1p(self.articles / count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Pairs of a new article and an older one, by their rows in the window."""

    newer: Indices
    """Row of the newer article, ascending."""
    older: Indices
    """Row of the other, below `newer`."""
    body: Vector
    """Cosine of all their terms."""
    lead: Vector | None = None
    """Cosine of the words of titles and leads; None: leads do not count."""
    vectors: Matrix | None = None
    """(rows, dim) unit vectors of all articles; None: meaning does not count."""
    gists: Matrix | None = None
    """(rows, dim) unit vectors of title and lead, without what the articles of one
    language share; rows of 0 where there is none. None: gists do not count."""
    language: Indices | None = None
    """(rows,) the number of each article's language, where gists count."""
    has_gist: Mask | None = None
    """(rows,) which articles have a gist."""
    names: KeyCounts | None = None
    """How common the names in the window are; None: they do not count."""
    length: Indices | None = None
    """(rows,) terms of each article; None: all are long."""
    columns: Mapping[str, Sequence[NDArray[Any]]] = field(default_factory=dict)
    """By the name of an evidence: its column of each article, row by row."""

    def __len__(self) -> int:
        return len(self.newer)

    @property
    def across(self) -> Mask:
        """Which pairs are in two languages, and have gists to be compared by.

        Their words say little: what is left to compare is what they mean.
        """
        if self.language is None:
            return np.zeros(len(self), dtype=bool)
        apart = self.language[self.newer] != self.language[self.older]
        return np.asarray(apart & self.both_gists)

    @property
    def both_gists(self) -> Mask:
        """Which pairs have two gists."""
        if self.has_gist is None:
            return np.zeros(len(self), dtype=bool)
        return np.asarray(self.has_gist[self.newer] & self.has_gist[self.older])

    def only(self, keep: Mask) -> Pairs:
        """Return the pairs marked in `keep`."""
        return replace(
            self,
            newer=self.newer[keep],
            older=self.older[keep],
            body=self.body[keep],
            lead=None if self.lead is None else self.lead[keep],
        )


@dataclass(frozen=True, slots=True)
class Reason:
    """What an evidence says, as a message with parameters: `str` puts them in.

    >>> str(Reason("by {subject} {verdict}", {"subject": "names", "verdict": "likely"}))
    'by names likely'
    """

    message: str
    parameters: Mapping[str, Any]

    def __str__(self) -> str:
        return self.message.format(**self.parameters)


class Evidence(Protocol):
    """Something that makes it more or less likely that two articles report one story.

    It holds no state: its results depend on its arguments alone.
    """

    @property
    def name(self) -> str:
        """What it is called in decisions, and in the setting `parts`."""
        ...

    @property
    def most(self) -> float:
        """The highest log-odds it can give a pair: pairs without hope are dropped."""
        ...

    def column(self, prepared: PreparedArticle) -> NDArray[Any] | None:
        """Return what it needs of an article: one array of numbers with one axis.

        It is kept with the article while it is in the window. None: nothing more
        than what every article has.
        """
        ...

    def candidates(
        self, columns: Sequence[NDArray[Any]], new: int
    ) -> tuple[Indices, Indices] | None:
        """Return pairs, newer and older rows, to be scored even without common words.

        The `new` last rows are those of new articles. None: it has none of its own.
        """
        ...

    def log_odds(self, pairs: Pairs) -> Vector:
        """Return the log-odds of each pair: above 0 speaks for one story."""
        ...

    def reason(self, odds: float) -> Reason:
        """Return what such log-odds say, for people."""
        ...


def plain_reason(subject: str, odds: float) -> Reason:
    """Return the usual reason: by a subject it is likely, open or unlikely.

    >>> str(plain_reason("words", 1.2))
    'by words likely'
    """
    parameters = {"subject": subject, "verdict": verdict(odds), "odds": odds}
    return Reason("by {subject} {verdict}", parameters)


def verdict(odds: float) -> str:
    """Return log-odds as a word.

    >>> [verdict(odds) for odds in (4, 1, -0.5, -2)]
    ['very likely', 'likely', 'open', 'unlikely']
    """
    if odds >= 3:
        return "very likely"
    if odds >= 0:
        return "likely"
    return "open" if odds > -1 else "unlikely"


@cache
def load_evidence(name: str) -> Evidence:
    """Return the evidence that is registered under a name."""
    made: Evidence = registry.find(GROUP, name)()
    return made


def reason_of(name: str, odds: float) -> Reason:
    """Return what an evidence says, also one that is not installed any more."""
    try:
        return load_evidence(name).reason(odds)
    except ConfigError:
        return plain_reason(name, odds)
