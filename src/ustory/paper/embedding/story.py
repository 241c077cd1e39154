"""Representations of stories, and the strategies that replace them (Table 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ustory.core.arrays import Counts, Indices, Matrix, Vector
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.core.spans import microseconds
from ustory.paper.embedding.article import (
    Hits,
    plain_means,
    relevance,
    sentence_weights,
    thematic_means,
)
from ustory.window.summary import StorySummary
from ustory.window.unassigned import Batch

_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class PaneRows:
    """The panes of stories as rows, sorted by story: what Eq. 8 sums over."""

    story: Indices
    """(rows,) position of the story; every story has a row."""
    times: Vector
    """t_p, in days."""
    count: Counts
    """|p|, articles."""
    sums: Vector
    """(rows, dim) Σ E_a|C."""

    @classmethod
    def of(cls, stories: Sequence[StorySummary], days: Mapping[int, float]) -> PaneRows:
        """Return the rows of story summaries."""
        rows = [
            (i, days[p], s)
            for i, story in enumerate(stories)
            for p, s in story.panes.items()
        ]
        return cls(
            np.array([i for i, _, _ in rows]),
            np.array([time for _, time, _ in rows]),
            np.array([summary.articles for _, _, summary in rows]),
            np.stack([summary.vectors for _, _, summary in rows]),
        )


def story_representations(
    stories: Sequence[StorySummary],
    days: Mapping[int, float],
    panes: Iterable[int],
    settings: Settings,
) -> dict[int, Matrix]:
    """Return E_C|a of each story, by the pane of a (Def 4.3, Eq. 3, 8)."""
    return representations(PaneRows.of(stories, days), days, panes, settings)


def representations(
    rows: PaneRows,
    days: Mapping[int, float],
    panes: Iterable[int],
    settings: Settings,
) -> dict[int, Matrix]:
    """Return E_C|a of each story, by the pane of a (Def 4.3, Eq. 3, 8).

    E_C|a = Σ_p e^(−|t_a − t_p|/δ_C) · ΣE_p / Σ_p e^(−|t_a − t_p|/δ_C) · |p|
    """
    story, number = rows.story, len(rows.story)
    first = np.flatnonzero(np.diff(story, prepend=-1))
    spans = _spans(rows.times, first, days, settings)
    start = np.append(first, number)
    found: dict[int, Matrix] = {}
    for pane in panes:
        recency = np.ones(number)
        if settings.time_aware:
            recency = _recency(rows.times, story, first, days[pane], spans)
        total = np.add.reduceat(recency * rows.count, first)
        weights = sparse.csr_array(
            (recency / total[story], np.arange(number), start),
            shape=(len(first), number),
        )
        found[pane] = (weights @ rows.sums).astype(np.float32)
    return found


def _recency(
    times: Vector, story: Indices, first: Indices, at: float, spans: Vector
) -> Vector:
    """Return exp(−|t_a − t_p| / δ_C) of each row, up to a factor per story."""
    age = np.abs(at - times) / spans[story]
    # subtracting a story's smallest age changes no ratio and avoids 0/0
    nearest: Vector = np.minimum.reduceat(age, first)
    return np.exp(nearest[story] - age)


def _spans(
    times: Vector, first: Indices, days: Mapping[int, float], settings: Settings
) -> Vector:
    """Return δ_C of each story: its own span, at least a day; or W."""
    if settings.story_span == "story":
        own = np.maximum.reduceat(times, first) - np.minimum.reduceat(times, first)
        return np.asarray(np.maximum(own, 1.0))
    if isinstance(settings.window, int):
        # a window by number has no duration: take the one it happens to have
        return np.full(len(first), max(float(np.ptp(list(days.values()))), 1.0))
    return np.full(len(first), microseconds(settings.window) / _DAY)


@dataclass(frozen=True, slots=True)
class Embedder:
    """Represents articles as the settings say.

    Only the two Conc strategies read texts and call the encoder.
    """

    settings: Settings
    encoder: Encoder | None
    texts: Mapping[str, tuple[str, ...]]
    """Sentences of each unassigned article, by id."""

    @property
    def is_thematic(self) -> bool:
        """Whether an article looks different to different stories."""
        return self.settings.theme_aware and self.settings.representation.startswith(
            "Them"
        )

    @property
    def is_plain_sum(self) -> bool:
        """Whether a representation is the weighted sum of all relevant sentences."""
        plain = self.settings.representation == "ThemSentMean"
        return self.is_thematic and plain and self.settings.sentences is None

    def represent(self, batch: Batch, hits: Hits) -> Matrix:
        """Return one representation for each row of hits.

        A row without any relevant sentence is the plain mean of its sentences.
        """
        if not self.is_thematic:
            return self._whole(batch)[hits.article]
        if self.is_plain_sum:
            return thematic_means(batch, hits)
        scores = relevance(batch, hits)
        rows = self._thematic(
            batch, hits.article, sentence_weights(scores, self.settings.sentences)
        )
        empty = np.flatnonzero(np.diff(scores.indptr) == 0)
        if len(empty):
            means = plain_means(batch, self.settings.sentences)
            rows[empty] = means[hits.article[empty]]
        return rows

    def _thematic(
        self, batch: Batch, article: Indices, weights: sparse.csr_array
    ) -> Matrix:
        if self.settings.representation == "ThemSentConc":
            return self._concatenations(batch, article, weights)
        return np.asarray(weights.astype(np.float32) @ batch.vectors)

    def _whole(self, batch: Batch) -> Matrix:
        """Return E_a without a theme: the mean, or all sentences as one."""
        limit = self.settings.sentences
        if (
            self.settings.representation.endswith("Mean")
            or not self.settings.theme_aware
        ):
            return plain_means(batch, limit)
        texts = [" ".join(self.texts[a.id][:limit]) for a in batch.articles]
        return self._encoded(texts)

    def _concatenations(
        self, batch: Batch, article: Indices, weights: sparse.csr_array
    ) -> Matrix:
        """Encode the relevant sentences of each row as one, best first."""
        weights = weights.copy()
        weights.sum_duplicates()
        texts: list[str] = []
        for row, start, end in zip(
            article.tolist(), weights.indptr[:-1], weights.indptr[1:], strict=True
        ):
            sentence = weights.indices[start:end] - batch.sentence_start[row]
            relevance = weights.data[start:end].astype(np.float32)
            order = sentence[np.lexsort((sentence, -relevance))]
            known = self.texts[batch.articles[row].id]
            texts.append(" ".join(known[i] for i in order.tolist()))
        distinct = list(dict.fromkeys(texts))
        vectors = self._encoded(distinct)
        place = {text: i for i, text in enumerate(distinct)}
        return vectors[[place[text] for text in texts]]

    def _encoded(self, texts: Sequence[str]) -> Matrix:
        assert self.encoder is not None
        return self.encoder.encode(texts).astype(np.float32)
