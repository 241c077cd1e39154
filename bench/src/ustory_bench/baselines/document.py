"""What a baseline keeps of an article while it is in the window."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Counts, Mask, Matrix
from ustory.core.article import PreparedArticle
from ustory.window.panes import day_of

LEAD = 3
"""Sentences after the title that make the lead."""

_NAME = re.compile(r"(?<=[\w,;:'’)] )[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
"""Capitalised words that do not open a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """An article as counts of lemmas and one vector."""

    id: str
    pane: int
    day: float
    """When it was published, in days since the epoch."""
    words: Mapping[str, int]
    """Lemmas of the whole article, title included, in alphabetical order."""
    pairs: Mapping[str, int]
    """Two adjacent lemmas of a sentence, in alphabetical order."""
    title: Mapping[str, int]
    """Lemmas of the title."""
    lead: Mapping[str, int]
    """Lemmas of the first sentences of the text."""
    names: Mapping[str, int]
    """Runs of capitalised words inside sentences, in lower case: cheap entities."""
    vector: Matrix
    """Mean of its sentence vectors (IndSentMean), of unit length: for PSE variants."""

    @property
    def body(self) -> dict[str, int]:
        """Lemmas of the text without the title, in alphabetical order."""
        left = {w: n - self.title.get(w, 0) for w, n in self.words.items()}
        return {word: number for word, number in left.items() if number > 0}


def document_of(prepared: PreparedArticle, pane: int) -> Document:
    """Return an article as baselines see it."""
    counts, article = prepared.counts, prepared.article
    start = 1 if article.title.strip() else 0
    names = counts.terms
    single = counts.second < 0
    mean = prepared.vectors.mean(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(mean))
    return Document(
        id=article.id,
        pane=pane,
        day=day_of(article.published_at),
        words=_counted(names, counts.tf, single),
        pairs=_counted(names, counts.tf, ~single),
        title=_of_sentences(prepared, 0, start),
        lead=_of_sentences(prepared, start, start + LEAD),
        names=dict(sorted(_names(prepared.sentences[start:]).items())),
        vector=(mean / length if length else mean).astype(np.float32),
    )


def _counted(names: tuple[str, ...], tf: Counts, keep: Mask) -> dict[str, int]:
    found = {names[i]: int(tf[i]) for i in np.flatnonzero(keep).tolist()}
    return dict(sorted(found.items()))


def _of_sentences(prepared: PreparedArticle, first: int, end: int) -> dict[str, int]:
    """Return the lemmas of sentences `first` to `end`, which is left out."""
    counts = prepared.counts
    inside = (counts.sentence >= first) & (counts.sentence < end)
    inside &= counts.second[counts.term] < 0
    found: Counter[str] = Counter()
    for cell in np.flatnonzero(inside).tolist():
        word = counts.words[int(counts.first[counts.term[cell]])]
        found[word] += int(counts.count[cell])
    return dict(sorted(found.items()))


def _names(sentences: tuple[str, ...]) -> Counter[str]:
    return Counter(
        name.group().casefold()
        for sentence in sentences
        for name in _NAME.finditer(sentence)
    )
