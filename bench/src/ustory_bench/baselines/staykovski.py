"""Staykovski et al.: a topic graph of TF-IDF cosines, its communities, merging.

T. Staykovski, A. Barrón-Cedeño, G. Da San Martino, P. Nakov: Dense vs. sparse
representations for news stream clustering. Text2Story workshop, ECIR 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scipy import sparse

from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.topic_graph import (
    SHARED_CHOICES,
    Rows,
    TopicGraph,
    at_least,
    check_count,
    check_number,
    filtered_rows,
)
from ustory_bench.baselines.vectors import sentence_rows
from ustory_bench.system import System


class Staykovski(TopicGraph):
    """Clusters are communities of articles whose vectors are close enough."""

    def __init__(
        self,
        settings: Settings,
        rows: Callable[[Sequence[Document]], Rows],
        *,
        edge: float,
        **others: Any,  # noqa: ANN401 - of `rows`, and of every topic graph
    ) -> None:
        """Take how articles become vectors, and the parameters."""
        check_number(edge, "edge", "the cosine from which two articles are joined")
        super().__init__(settings, edge=edge, **others)
        self._rows = rows
        self._edge = edge

    def draw(self, documents: Sequence[Document]) -> tuple[sparse.csr_array, Rows]:
        """Return the local topic graph, and what clusters are compared by.

        Two articles are joined if the cosine of their vectors reaches `edge`, by an
        edge of that weight; clusters are alike if their centroids are.
        """
        rows = self._rows(documents)
        return at_least(sparse.csr_array(rows @ rows.T), self._edge), rows


def build_sparse(
    settings: Settings,
    encoder: Encoder,
    *,
    rare: int,
    common: float,
    **others: Any,  # noqa: ANN401 - as the class takes them
) -> Staykovski:
    """Return the method on TF-IDF vectors."""
    del encoder
    check_count(rare, "rare", "in how many articles of the window a word must be")
    check_number(common, "common", "the share of articles a word may be in")

    def rows(documents: Sequence[Document]) -> Rows:
        return filtered_rows(documents, rare, common)

    return Staykovski(settings, rows, rare=rare, common=common, **others)


def build_dense(
    settings: Settings,
    encoder: Encoder,
    **others: Any,  # noqa: ANN401 - as the class takes them
) -> Staykovski:
    """Return the method on means of sentence vectors."""
    del encoder  # articles come with their vectors
    return Staykovski(settings, sentence_rows, vectors="sentences", **others)


CITATION = (
    "T. Staykovski, A. Barrón-Cedeño, G. Da San Martino, P. Nakov: Dense vs. Sparse "
    "Representations for News Stream Clustering, Text2Story at ECIR 2019"
)
CHOICES = (
    *SHARED_CHOICES,
    "Edges weigh the cosine of their articles.",
)

SYSTEM = System(
    name="staykovski",
    build=build_sparse,
    citation=CITATION,
    parameters={
        "edge": 0.15, "merge": 0.6, "rare": 1, "common": 1.0, "whole": False,
    },
    ranges={
        "edge": (0.1, 0.12, 0.14, 0.16, 0.18, 0.22, 0.3),
        "merge": (0.5, 0.6, 0.7, 0.8, 1.0),
    },
    choices=(
        *CHOICES,
        "Document frequencies are those of the window; the original had a corpus to "
        "take them from.",
        "Words are filtered by how many articles of the window they are in; by "
        "default none are, because a window may hold three articles.",
    ),
)  # fmt: skip

PSE = System(
    name="staykovski-pse",
    build=build_dense,
    citation=CITATION,
    parameters={"edge": 0.58, "merge": 0.9, "whole": False},
    ranges={
        "edge": (0.4, 0.5, 0.54, 0.58, 0.62, 0.66),
        "merge": (0.7, 0.8, 0.9, 0.95, 1.0),
    },
    choices=(
        *CHOICES,
        "An article is the mean of its sentence vectors, whose cosines are so much "
        "higher that edges start above the range given for TF-IDF.",
    ),
)
