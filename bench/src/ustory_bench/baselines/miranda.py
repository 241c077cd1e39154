"""Miranda et al.: articles join the cluster they are nearest to in words and time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.baselines.centroids import Dates, Rows, SubVector, closeness
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.vectors import sentence_rows, tfidf_rows
from ustory_bench.baselines.windowed import Turn, WindowedDiscoverer
from ustory_bench.system import System

_DIGITS = 9
"""Scores are rounded, so that equal ones are equal on every machine."""


@dataclass(frozen=True, slots=True)
class View:
    """One sub-vector of the articles, and how often its cosine counts."""

    weight: float
    rows: Callable[[Sequence[Document]], Rows]


def _title(documents: Sequence[Document]) -> Rows:
    return tfidf_rows(documents, lambda document: document.title)


def _body(documents: Sequence[Document]) -> Rows:
    return tfidf_rows(documents, lambda document: document.body)


def _names(documents: Sequence[Document]) -> Rows:
    return tfidf_rows(documents, lambda document: document.names)


SPARSE = (View(2, _title), View(2, _body), View(2, tfidf_rows), View(2, _names))
"""Words and lemmas are one and count twice; so do names of the body and of both."""


def _vectors(documents: Sequence[Document]) -> Rows:
    return sentence_rows(documents).astype(np.float64)


DENSE = (View(3, _vectors),)
"""The vector stands for title, body and both: it counts as much as time does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Next to nothing: all this method goes by is the clusters in the window."""

    seen: int = 0
    """Articles that were ever placed; a snapshot needs something to write."""


class Miranda(WindowedDiscoverer[Memory]):
    """Online clustering by sub-vectors and dates (Miranda et al. 2018).

    A cluster is its centroid, the sum of its articles in each sub-vector, and its
    newest, oldest and mean date. Articles come one after the other: each joins
    the best cluster, if their score reaches the threshold, or founds one.
    """

    memory_type: ClassVar[type] = Memory

    def __init__(
        self,
        settings: Settings,
        views: Sequence[View],
        *,
        threshold: float,
        sigma: float,
        **others: Any,  # noqa: ANN401 - whatever tells the views apart
    ) -> None:
        _check(
            "threshold", threshold, "the score from which an article joins a cluster"
        )
        _check("sigma", sigma, "the days that the Gaussian of the dates is wide")
        super().__init__(settings, threshold=threshold, sigma=sigma, **others)
        self._views = views
        self._threshold = threshold
        self._sigma = sigma

    def settle(self, turn: Turn[Memory]) -> tuple[Mapping[str, str | None], Memory]:
        """Place the new articles, oldest first; no article ever moves."""
        if not turn.new:
            return turn.story, turn.memory
        members = turn.members
        names, story = list(members), dict(turn.story)
        subs = self._sub_vectors(turn, members)
        dates = Dates.of([[turn.documents[a].day for a in c] for c in members.values()])
        for place, document in enumerate(turn.new):
            score = closeness(dates, document.day, self._sigma)
            score += sum(sub.cosines(place, len(names)) for sub in subs)
            found = best(score, self._threshold)
            if found is None:
                found = len(names)
                names.append(turn.new_story())
            for sub in subs:
                sub.join(place, found)
            dates = dates.joined(found, document.day)
            story[document.id] = names[found]
        return story, Memory(seen=turn.memory.seen + len(turn.new))

    def _sub_vectors(
        self, turn: Turn[Memory], members: Mapping[str, Sequence[str]]
    ) -> list[SubVector]:
        place = {article: row for row, article in enumerate(turn.documents)}
        new = [place[document.id] for document in turn.new]
        clusters = [[place[article] for article in each] for each in members.values()]
        documents = list(turn.documents.values())
        return [
            SubVector(view.weight, view.rows(documents), new, clusters)
            for view in self._views
        ]


def best(scores: Vector, threshold: float) -> int | None:
    """Return the cluster of the highest score, the oldest of equals, if it will do."""
    if not len(scores):
        return None
    rounded = np.round(scores, _DIGITS)
    found = int(rounded.argmax())
    return found if rounded[found] >= threshold else None


def _check(name: str, value: object, meaning: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"{name} must be a number, got {value!r}; it is {meaning}")
    if not 0 < value < inf:
        raise ConfigError(
            f"{name} must be above 0 and finite, got {value}; it is {meaning}"
        )


def build(
    settings: Settings, encoder: Encoder, *, threshold: float, sigma: float
) -> Miranda:
    """Return the method on TF-IDF sub-vectors; the encoder is not used."""
    del encoder
    return Miranda(settings, SPARSE, threshold=threshold, sigma=sigma)


def build_pse(
    settings: Settings, encoder: Encoder, *, threshold: float, sigma: float
) -> Miranda:
    """Return the method on means of sentence vectors."""
    del encoder  # articles come with their vectors
    return Miranda(
        settings, DENSE, threshold=threshold, sigma=sigma, vectors="sentences"
    )


_CITATION = (
    "S. Miranda, A. Znotiņš, S. B. Cohen, G. Barzdins: Multilingual Clustering of "
    "Streaming News, EMNLP 2018"
)
_SIGMAS = (1.0, 2.0, 3.0, 4.0)
_CHOICES = (
    "The weights of the similarities, which the original learns by SVM-rank, are "
    "equal, and their sum is the score: the threshold is on the scale of our "
    "paper's range, 1 to 5.",
    "One threshold decides between joining and founding; the original trains a "
    "second SVM on labelled articles for that.",
    "Only the clustering of one language is built: all articles share one space.",
    "A cluster is the articles of its story that are in the window, so its centroid "
    "and its dates drift, and it is gone when the last one leaves.",
    "Articles of one slide come in order of date, then of id; of clusters with equal "
    "scores the oldest wins.",
    "The Gaussian of the dates is 3 days wide, as in the original (72 hours).",
    "Clusters are never merged or split, as in the original.",
)

SYSTEM = System(
    name="miranda",
    build=build,
    citation=_CITATION,
    parameters={"threshold": 4.2, "sigma": 3.0},
    ranges={
        "threshold": (1.0, 2.0, 3.0, 3.5, 3.75, 4.0, 4.2, 4.4, 4.6, 4.8, 5.0),
        "sigma": _SIGMAS,
    },
    choices=(
        *_CHOICES,
        "Surface words are not kept, so lemmas stand for words too: the cosines of "
        "lemmas in title, body and both count twice.",
        "Entities are runs of capitalised words inside the sentences of the body. "
        "None are known of the title: entities of the body and of both are the same "
        "and count twice, and those of the title are left out. There are 8 cosines "
        "then, where the original has 9.",
        "Document frequencies are those of the window, the original's of a corpus "
        "beside the stream; those of all articles seen so far scored the same.",
    ),
)

PSE = System(
    name="miranda-pse",
    build=build_pse,
    citation=_CITATION,
    parameters={"threshold": 4.6, "sigma": 3.0},
    ranges={
        "threshold": (1.0, 2.0, 3.0, 4.0, 4.2, 4.4, 4.5, 4.6, 4.7, 4.8, 5.0),
        "sigma": _SIGMAS,
    },
    choices=(
        *_CHOICES,
        "The mean of the sentence vectors stands in for all sub-vectors. Its cosine "
        "counts three times, for title, body and both: as much as the three dates.",
    ),
)
