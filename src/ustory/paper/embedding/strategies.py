"""The four ways sentences make an article (Sec. 6.3), behind one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Matrix
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.paper.embedding.article import (
    Hits,
    plain_means,
    relevance,
    sentence_weights,
    thematic_means,
)
from ustory.window.batch import Batch


@dataclass(frozen=True, slots=True)
class Embedder:
    """Represents articles as the settings say.

    Only the two Conc strategies read texts and call the encoder; others do without.
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

        A row without any relevant sentence falls back to the whole article.
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
            rows[empty] = self._whole(batch)[hits.article[empty]]
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
