"""EventX: the events of a window, by a graph of keywords and then one of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Matrix, Vector
from ustory_bench.baselines.communities import louvain
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.vectors import (
    document_frequencies,
    sentence_rows,
    tfidf_rows,
)

Rows: TypeAlias = sparse.csr_array | Matrix | Vector
"""One unit row per document."""
Tables: TypeAlias = Sequence[tuple[float, Rows]]
"""How much each cosine counts, and the rows it is of."""

_DIGITS = 9
"""Weights are rounded, so that equal ones are equal on every machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """How events are found; the names are those of StoryForest's parameters."""

    keywords: int
    together: int
    share: float
    similarity: float
    seed: int


@dataclass(frozen=True, slots=True)
class Events:
    """What EventX found in a window."""

    groups: tuple[tuple[str, ...], ...]
    """The documents of each event, by id; a lone document is an event too."""
    keywords: dict[str, tuple[str, ...]]
    """Those of each document, the most telling first."""


def extract(
    documents: Sequence[Document],
    how: Extraction,
    tables: Callable[[Sequence[Document]], Tables],
) -> Events:
    """Return the events of documents (EventX, Liu et al. 2020).

    Keywords that keep company make topics, documents join the topic they are most
    about, and inside a topic those that are alike make events.
    """
    df = document_frequencies(documents)
    rows = tfidf_rows(documents, df=df, total=len(documents))
    found = top_keywords(rows, list(df), how.keywords)
    topics = communities(*keyword_graph(found, how.together, how.share), how.seed)
    idf = dict(
        zip(df, np.log1p(len(documents) / np.array([*df.values()])), strict=True)
    )
    topic = topic_of(rows, topics, idf)
    ids = [document.id for document in documents]
    edges = document_graph(tables(documents), topic, how.similarity)
    groups = louvain(ids, edges, seed=how.seed)
    return Events(groups, dict(zip(ids, found, strict=True)))


def top_keywords(
    rows: sparse.csr_array, terms: Sequence[str], count: int
) -> list[tuple[str, ...]]:
    """Return the `count` terms of the largest weight in each row; ties by alphabet.

    The columns of `rows` are `terms`, which are in alphabetical order.
    """
    found = []
    for first, end in zip(rows.indptr, rows.indptr[1:], strict=False):
        weights = np.round(rows.data[first:end], _DIGITS)
        order = np.lexsort((rows.indices[first:end], -weights))[:count]
        found.append(tuple(terms[rows.indices[first + n]] for n in order.tolist()))
    return found


def keyword_graph(
    keywords: Sequence[Iterable[str]], together: int, share: float
) -> tuple[list[str], sparse.csr_array]:
    """Return the keywords that have an edge, and how many documents each pair has.

    Two have an edge if at least `together` documents have both, and of those that
    have either one at least `share` have the other: both conditional
    probabilities count.
    """
    nodes = sorted({word for each in keywords for word in each})
    place = {word: number for number, word in enumerate(nodes)}
    cells = [(row, place[word]) for row, each in enumerate(keywords) for word in each]
    row, column = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    has = sparse.csr_array(
        (np.ones(len(cells)), (row, column)), shape=(len(keywords), len(nodes))
    )
    pairs = sparse.coo_array(has.T @ has)
    often: Vector = np.asarray(has.sum(axis=0), dtype=np.float64).ravel()
    likely = pairs.data / np.maximum(often[pairs.row], often[pairs.col])
    edge = (pairs.row != pairs.col) & (pairs.data >= together) & (likely >= share)
    graph = sparse.csr_array(
        (pairs.data[edge], (pairs.row[edge], pairs.col[edge])), shape=pairs.shape
    )
    linked = np.flatnonzero(np.diff(graph.indptr) > 0)
    return [nodes[n] for n in linked.tolist()], graph[linked][:, linked]


def communities(
    nodes: Sequence[str], edges: sparse.csr_array, seed: int
) -> tuple[tuple[str, ...], ...]:
    """Return the topics: keywords that keep more company with each other.

    The graph is divided as a whole, since topics are only to be coarse: what
    they keep apart can no longer be one event.
    """
    return louvain(nodes, edges, seed=seed, whole=True) if nodes else ()


def topic_of(
    rows: sparse.csr_array,
    topics: Sequence[Sequence[str]],
    idf: dict[str, float],
) -> Indices:
    """Return the topic each document is most about, -1 for none.

    That is the one with the highest TF-IDF cosine, a topic being a document that
    has each of its keywords once; of equal topics it is the first.
    """
    if not topics:
        return np.full(rows.shape[0], -1)
    place = {term: number for number, term in enumerate(idf)}
    column = [place[word] for topic in topics for word in topic]
    owner = [number for number, topic in enumerate(topics) for _ in topic]
    weights = np.array([idf[word] for topic in topics for word in topic])
    about = sparse.csr_array(
        (weights, (owner, column)), shape=(len(topics), rows.shape[1])
    )
    lengths = np.sqrt(np.bincount(owner, weights**2))
    cosines = np.round((rows @ about.T).toarray() / lengths, _DIGITS)
    return np.where(cosines.max(axis=1) > 0, cosines.argmax(axis=1), -1)


def document_graph(
    tables: Tables, topic: Indices, threshold: float
) -> sparse.csr_array:
    """Return the edges between documents of one topic that are alike enough.

    This is where the original asks a trained SVM.
    """
    rows, columns, weights = [], [], []
    for number in np.unique(topic[topic >= 0]).tolist():
        members = np.flatnonzero(topic == number)
        block = np.round(alike(tables, members), _DIGITS)
        row, column = np.nonzero(block >= threshold)
        rows.append(members[row])
        columns.append(members[column])
        weights.append(block[row, column])
    if not rows:
        return sparse.csr_array((len(topic), len(topic)), dtype=np.float64)
    where = np.concatenate(rows), np.concatenate(columns)
    shape = len(topic), len(topic)
    return sparse.csr_array((np.concatenate(weights), where), shape=shape)


def alike(tables: Tables, members: Indices) -> Vector:
    """Return how alike every two of some documents are: a weighted sum of cosines."""
    total = np.zeros((len(members), len(members)))
    for weight, rows in tables:
        some = rows[members]
        cosines = some @ some.T
        dense = cosines if isinstance(cosines, np.ndarray) else cosines.toarray()
        total += weight * dense
    return total


def word_tables(documents: Sequence[Document]) -> Tables:
    """Return what makes articles alike: (2 · content + title + names) / 4."""
    return (
        (0.5, tfidf_rows(documents)),
        (0.25, tfidf_rows(documents, lambda document: document.title)),
        (0.25, tfidf_rows(documents, lambda document: document.names)),
    )


def vector_tables(documents: Sequence[Document]) -> Tables:
    """Return what makes articles alike: their mean sentence vectors."""
    return ((1.0, sentence_rows(documents).astype(np.float64)),)


def event_keywords(keywords: Iterable[Sequence[str]], count: int) -> frozenset[str]:
    """Return the keywords that most documents of a group have; ties by alphabet."""
    often = Counter(word for each in keywords for word in each)
    return frozenset(sorted(often, key=lambda word: (-often[word], word))[:count])
