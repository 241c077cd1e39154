"""Stories and articles of a few words, small enough to work out by hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ustory.core.arrays import Matrix
from ustory.window.summary import PaneSummary, StorySummary
from ustory.window.unassigned import UnassignedArticle
from ustory.window.vocabulary import Vocabulary

TERMS = ("flood", "rescue", "die", "tank", "river", "alarm", "people")
"""All words there are; not in the order of the alphabet."""

VOCABULARY = Vocabulary(TERMS, np.arange(len(TERMS), dtype=np.int64) << 32)
AXES = np.eye(4, dtype=np.float32)


def pane(
    counts: Mapping[str, int], articles: int = 1, vector: tuple[float, ...] = (0.0, 0.0)
) -> PaneSummary:
    """Return the summary of a pane with these words and this sum of vectors."""
    return PaneSummary(
        articles=articles,
        terms=np.array([TERMS.index(term) for term in counts], dtype=np.int32),
        tf=np.array(list(counts.values()), dtype=np.int32),
        vectors=np.array(vector),
        length=sum(counts.values()),
    )


def story(panes: Mapping[int, PaneSummary]) -> StorySummary:
    """Return a story of these panes."""
    total = sum(one.articles for one in panes.values())
    return StorySummary("s", dict(panes), total)


def article(
    name: str, number: int, *sentences: Mapping[str, int], vectors: Matrix = AXES
) -> UnassignedArticle:
    """Return an article of pane `number`; sentence i is the i-th row of `vectors`."""
    terms = list(dict.fromkeys(term for counts in sentences for term in counts))
    cells = [
        (place, sentence, counts[term])
        for place, term in enumerate(terms)
        for sentence, counts in enumerate(sentences)
        if term in counts
    ]
    owner = np.array([place for place, _, _ in cells], dtype=np.int64)
    count = np.array([times for _, _, times in cells], dtype=np.int32)
    size = len(terms)
    return UnassignedArticle(
        id=name,
        pane=number,
        terms=np.array([TERMS.index(term) for term in terms], dtype=np.int32),
        tf=np.bincount(owner, count, size).astype(np.int32),
        cells=np.bincount(owner, minlength=size).astype(np.int32),
        sentence=np.array([sentence for _, sentence, _ in cells], dtype=np.int32),
        count=count,
        vectors=vectors[: len(sentences)],
    )
