"""newsLens: articles that share keywords, the communities they form, merging.

P. Laban and M. Hearst: newsLens: building and visualizing long-ranging news
stories. Proceedings of the Events and Stories in the News Workshop, ACL 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ustory.core.arrays import Matrix
from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.topic_graph import (
    SHARED_CHOICES,
    Rows,
    TopicGraph,
    at_least,
    check_count,
    filtered_rows,
)
from ustory_bench.baselines.vectors import sentence_rows
from ustory_bench.system import System


class NewsLens(TopicGraph):
    """Topics are communities of articles that share enough keywords."""

    def __init__(
        self,
        settings: Settings,
        *,
        keywords: int,
        shared: int,
        dense: bool = False,
        **others: Any,  # noqa: ANN401 - those of every topic graph
    ) -> None:
        """Take the parameters; `dense` compares sentence vectors of articles."""
        check_count(keywords, "keywords", "how many keywords an article has")
        check_count(shared, "shared", "how many keywords make an edge")
        if shared > keywords:
            raise ConfigError(
                f"shared must not be more than keywords, got {shared} of {keywords}; "
                "no two articles could share that many"
            )
        super().__init__(
            settings, keywords=keywords, shared=shared, dense=dense, **others
        )
        self._keywords = keywords
        self._shared = shared
        self._dense = dense

    def draw(self, documents: Sequence[Document]) -> tuple[sparse.csr_array, Rows]:
        """Return the local topic graph, and what topics are compared by.

        Two articles are joined if they share enough keywords, by an edge that
        weighs as many as they share; topics are alike if their keywords, summed
        over the articles, are. With sentence vectors, edges are where they were
        and weigh the cosine of the two articles, and topics are compared by the
        mean of their articles.
        """
        rows = keyword_rows(filtered_rows(documents, rare=2), self._keywords)
        edges = shared_keywords(rows, self._shared)
        if not self._dense:
            return edges, rows
        means = sentence_rows(documents)
        return _weighed(edges, means), means


def keyword_rows(rows: sparse.csr_array, keywords: int) -> sparse.csr_array:
    """Return rows of TF-IDF that keep only the keywords of each article.

    Those are its words with the highest weights; of equal ones the first in the
    alphabet.
    """
    kept = []
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        best = np.lexsort((rows.indices[start:end], -rows.data[start:end]))
        kept.append(start + np.sort(best[:keywords]))
    cells = np.concatenate([np.zeros(0, dtype=np.int64), *kept])
    sizes = [0, *(len(each) for each in kept)]
    found = sparse.csr_array(
        (rows.data[cells], rows.indices[cells], np.cumsum(sizes)), shape=rows.shape
    )
    found.sort_indices()
    return found


def shared_keywords(rows: sparse.csr_array, least: int) -> sparse.csr_array:
    """Return how many keywords two articles share, where it is `least` or more."""
    has = sparse.csr_array(
        (np.ones(rows.nnz), rows.indices, rows.indptr), shape=rows.shape
    )
    return at_least(sparse.csr_array(has @ has.T), least)


def _weighed(edges: sparse.csr_array, rows: Matrix) -> sparse.csr_array:
    """Return the same edges with the cosines of their articles as weights."""
    cells = sparse.coo_array(edges)
    cosines = np.einsum("ij,ij->i", rows[cells.row], rows[cells.col])
    weights = np.maximum(cosines, 0).astype(np.float64)
    return sparse.csr_array((weights, (cells.row, cells.col)), shape=cells.shape)


def build_sparse(
    settings: Settings,
    encoder: Encoder,
    **parameters: Any,  # noqa: ANN401 - as the class takes them
) -> NewsLens:
    """Return the method on keywords alone."""
    del encoder
    return NewsLens(settings, **parameters)


def build_dense(
    settings: Settings,
    encoder: Encoder,
    **parameters: Any,  # noqa: ANN401 - as the class takes them
) -> NewsLens:
    """Return the method with means of sentence vectors to compare."""
    del encoder  # articles come with their vectors
    return NewsLens(settings, dense=True, **parameters)


CITATION = (
    "P. Laban, M. Hearst: newsLens: Building and Visualizing Long-ranging News "
    "Stories, Events and Stories in the News Workshop at ACL 2017"
)
CHOICES = (
    *SHARED_CHOICES,
    "The keywords of an article are its words with the highest TF-IDF, as many for "
    "each; document frequencies are those of the window, and a word that no other "
    "article of the window has is no keyword.",
    "A topic that returns after a pause longer than the window is a new story: the "
    "original, which has an archive to search, would join the two.",
)
SYSTEM = System(
    name="newslens",
    build=build_sparse,
    citation=CITATION,
    parameters={"keywords": 30, "shared": 5, "merge": 0.4, "whole": False},
    ranges={"shared": (1, 2, 3, 4, 5), "merge": (0.2, 0.4, 0.6, 0.8, 1.0)},
    choices=(*CHOICES, "Edges weigh as many keywords as they share."),
)

PSE = System(
    name="newslens-pse",
    build=build_dense,
    citation=CITATION,
    parameters={"keywords": 30, "shared": 5, "merge": 0.9, "whole": False},
    ranges={"shared": (1, 2, 3, 4, 5), "merge": (0.7, 0.8, 0.9, 1.0)},
    choices=(
        *CHOICES,
        "Sentence vectors have no keywords: articles are still joined by the words "
        "they share, but edges weigh the cosine of the mean sentence vectors, and "
        "communities are merged by it.",
    ),
)
