"""Documents as rows of unit length: TF-IDF over the window, or sentence vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from scipy import sparse

from ustory.core.arrays import Matrix
from ustory_bench.baselines.document import Document

Counted = Callable[[Document], Mapping[str, int]]
"""Which counts of a document to weigh."""


def words(document: Document) -> Mapping[str, int]:
    """Return the lemmas of a document."""
    return document.words


def terms(document: Document) -> Mapping[str, int]:
    """Return its lemmas and pairs of them: the paper's (1,2)-grams."""
    return {**document.words, **document.pairs}


def document_frequencies(
    documents: Iterable[Document], counted: Counted = words
) -> dict[str, int]:
    """Return how many documents have each term, in order of term."""
    df: dict[str, int] = {}
    for document in documents:
        for term in counted(document):
            df[term] = df.get(term, 0) + 1
    return dict(sorted(df.items()))


def tfidf_rows(
    documents: Sequence[Document],
    counted: Counted = words,
    df: Mapping[str, int] | None = None,
    total: int | None = None,
    title: float = 1.0,
) -> sparse.csr_array:
    """Return one unit row per document: (1 + ln tf) · ln(1 + n / df).

    `df` and `total` are those of a background; the documents themselves by
    default. Columns are the terms of `df` in its order; terms not in it are left
    out. Words that the title has too weigh `title` times as much. An empty
    document is a zero row.
    """
    if df is None:
        df, total = document_frequencies(documents, counted), len(documents)
    n = float(total if total is not None else max(df.values(), default=1))
    column = {term: i for i, term in enumerate(df)}
    idf = np.log1p(n / np.array(list(df.values()), dtype=np.float64))
    rows, columns, values, factors = [], [], [], []
    for row, document in enumerate(documents):
        known = {t: c for t, c in counted(document).items() if t in column}
        rows += [row] * len(known)
        columns += [column[term] for term in known]
        values += [float(count) for count in known.values()]
        factors += [title if term in document.title else 1.0 for term in known]
    places = np.array(columns, dtype=np.int64)
    weights = (1 + np.log(np.array(values))) * idf[places] * np.array(factors)
    table = sparse.csr_array(
        (weights, (np.array(rows, dtype=np.int64), places)),
        shape=(len(documents), len(df)),
    )
    table.sort_indices()
    norms = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ table)


def sentence_rows(documents: Sequence[Document]) -> Matrix:
    """Return the mean sentence vectors, one unit row per document: a PSE variant."""
    return np.stack([document.vector for document in documents])
