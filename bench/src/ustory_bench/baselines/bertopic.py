"""BERTopic on each window, with story ids matched from window to window."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ustory.core.arrays import Indices
from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.hdbscan import ClusteredWindow, check_whole
from ustory_bench.baselines.vectors import sentence_rows
from ustory_bench.system import System

_LEAST = 3
"""Articles below which there is no density to speak of."""

_SEEDS = 2**32


class Bertopic(ClusteredWindow):
    """Topics of BERTopic as stories (Grootendorst 2022).

    Its steps are all there: the article vectors are given, UMAP reduces them,
    HDBSCAN clusters them and c-TF-IDF describes the topics; then articles without
    a topic may be given to the nearest one (`reduce_outliers`).
    """

    def __init__(
        self,
        settings: Settings,
        *,
        min_cluster_size: int,
        min_samples: int,
        components: int,
        neighbors: int,
        outliers: float | None,
    ) -> None:
        check_whole("min_cluster_size", min_cluster_size, 2)
        check_whole("min_samples", min_samples, 1)
        check_whole("components", components, 0)
        check_whole("neighbors", neighbors, 2)
        _check_outliers(outliers)
        parameters = {
            "min_cluster_size": min_cluster_size,
            "min_samples": min_samples,
            "components": components,
            "neighbors": neighbors,
            "outliers": outliers,
        }
        super().__init__(settings, **parameters)
        self._parts = _Parts()
        self._clusters = {
            "min_cluster_size": min_cluster_size,
            "min_samples": min_samples,
        }
        self._components, self._neighbors = components, neighbors
        self._outliers = outliers

    def labels(self, documents: Sequence[Document]) -> Indices:
        """Fit a model to the window; return its topics, -1 for none."""
        least = max(_LEAST, *(value + 1 for value in self._clusters.values()))
        if len(documents) < least:
            return np.full(len(documents), -1)
        texts = [written(document) for document in documents]
        vectors = sentence_rows(documents)
        with warnings.catch_warnings():
            # its parts warn of small windows and of each other's releases
            warnings.simplefilter("ignore")
            model = self._model(len(documents))
            found, _ = model.fit_transform(texts, embeddings=vectors)
            if self._outliers is not None and -1 in found and max(found) >= 0:
                found = model.reduce_outliers(
                    texts,
                    found,
                    strategy="embeddings",
                    embeddings=vectors,
                    threshold=self._outliers,
                )
        return np.asarray(found, dtype=np.int64)

    def _model(self, articles: int) -> Any:  # noqa: ANN401 - BERTopic's
        parts = self._parts
        return parts.bertopic.BERTopic(
            embedding_model=None,
            umap_model=self._reduction(articles),
            hdbscan_model=parts.hdbscan.HDBSCAN(**self._clusters, core_dist_n_jobs=1),
            vectorizer_model=parts.text.CountVectorizer(token_pattern=r"\S+"),
            # the English setting would strip all that is not A to Z
            language="multilingual",
            calculate_probabilities=False,
        )

    def _reduction(self, articles: int) -> Any:  # noqa: ANN401 - UMAP's, or none
        """Return UMAP as BERTopic sets it; nothing is reduced in a small window."""
        parts = self._parts
        if not self._components or articles <= max(self._neighbors, self._components):
            return parts.dimensionality.BaseDimensionalityReduction()
        return parts.umap.UMAP(
            n_neighbors=self._neighbors,
            n_components=self._components,
            min_dist=0.0,
            metric="cosine",
            random_state=self.settings.seed % _SEEDS,
            n_jobs=1,
        )


class _Parts:
    """The packages of BERTopic, imported when the first model is made."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            # UMAP warns that TensorFlow is not there; nobody needs it
            warnings.simplefilter("ignore")
            try:
                self.bertopic = import_module("bertopic")
                self.dimensionality = import_module("bertopic.dimensionality")
                self.hdbscan = import_module("hdbscan")
                self.text = import_module("sklearn.feature_extraction.text")
                self.umap = import_module("umap")
            except ImportError as error:
                raise MissingExtraError(
                    "BERTopic", "bertopic", "ustory-bench"
                ) from error


def written(document: Document) -> str:
    """Return the lemmas of a document as a text: all that c-TF-IDF counts.

    It fails on fewer than two different words, so every text has two of its own.
    """
    said = [word for word, count in document.words.items() for _ in range(count)]
    return " ".join(["<article>", *said, "</article>"])


def _check_outliers(value: float | None) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (number and 0 <= value <= 1):
        raise ConfigError(
            f"outliers must be from 0 to 1, or left out, got {value!r}; it is the "
            "cosine from which an article without a topic joins the nearest one"
        )


def build(settings: Settings, encoder: Encoder, **parameters: Any) -> Bertopic:  # noqa: ANN401
    """Return the method; articles come with their vectors."""
    del encoder
    return Bertopic(settings, **parameters)


SYSTEM = System(
    name="bertopic",
    build=build,
    citation=(
        "M. Grootendorst: BERTopic: Neural topic modeling with a class-based TF-IDF "
        "procedure, arXiv 2203.05794, 2022"
    ),
    parameters={
        "min_cluster_size": 2,
        "min_samples": 1,
        "components": 0,
        "neighbors": 15,
        "outliers": 0.6,
    },
    ranges={
        "min_cluster_size": (2, 3, 5),
        "components": (0, 5),
        "outliers": (None, 0.5, 0.6),
    },
    choices=(
        "A model is fitted to each window, and a topic takes the id of the old story "
        "with which it shares most articles: partial_fit takes only parts that learn "
        "piece by piece, in place of UMAP and HDBSCAN, and merge_models fits a model "
        "to each slide by itself, which is often a handful of articles.",
        "Articles are given as means of our sentence vectors (precomputed embeddings).",
        "Topics of two articles are allowed (min_cluster_size 2, BERTopic's own is "
        "10), as streams have many stories of that size.",
        "UMAP is left out by default (components 0): fitted anew to windows of tens "
        "of articles it scored lower, and its layout changes from window to window; "
        "components 5 is BERTopic's own setting, used where a window is large enough.",
        "Articles without a topic join the nearest one from a cosine of 0.6 "
        "(reduce_outliers); the rest have no story.",
        "c-TF-IDF counts lemmas; it describes topics and decides no story.",
    ),
)
