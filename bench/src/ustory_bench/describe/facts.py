"""A few numbers that tell one stream of news from another, to compare streams by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices
from ustory.core.article import PreparedArticle
from ustory.core.spans import EPOCH, microseconds
from ustory.links.article import LinkedArticle, linked_articles
from ustory.links.sentence_terms import in_order
from ustory.links.word_candidates import body_rows, lead_rows
from ustory.links.word_scan import Rows
from ustory.window.unassigned import open_article
from ustory.window.vocabulary import Vocabulary
from ustory_bench.describe.likeness import (
    Likeness,
    blocks,
    likeness,
    shared,
)
from ustory_bench.describe.texts import Facts, copies, lengths, quantiles, quoted, words

RARE = 0.05
"""Words are rare that at most this share of the articles has."""

_JUDGED = 2_000
_DAY = microseconds(timedelta(days=1))


def facts_of(articles: Sequence[PreparedArticle], window: timedelta) -> Facts:
    """Return the facts of a stream, oldest article first; None where there is none.

    Those of stories need labels.
    """
    linked, vocabulary = _linked(articles)
    facts = lengths(articles) | words(articles)
    facts["copies"], copied = copies(linked, window)
    stories = _numbered([one.article.label for one in articles])
    if not (stories >= 0).any():
        return facts
    moments = np.array(
        [microseconds(one.article.published_at - EPOCH) for one in articles]
    )
    judged = np.arange(0, len(articles), max(-(-len(articles) // _JUDGED), 1))
    judged = judged[stories[judged] >= 0]
    parts = list(blocks(judged, stories, moments, microseconds(window)))
    single = np.array([" " not in term for term in _terms(vocabulary)])
    has = _incidence(linked, len(vocabulary))
    df = has.sum(axis=0)
    idf = np.log1p(len(linked) / np.maximum(df, 1))
    body = likeness(_sparse(body_rows(linked, idf), len(idf)), parts)
    lead = likeness(_sparse(lead_rows(linked, idf), len(idf)), parts)
    vectors = np.array([one.vector for one in linked], dtype=np.float32)
    meaning = likeness(vectors, parts)
    of_words = has * single[None, :].astype(np.float64)
    rare = of_words * (df <= max(RARE * len(linked), 1))[None, :].astype(np.float64)
    found = shared(sparse.csr_array(of_words), sparse.csr_array(rare), parts)
    return {
        **_sides("body", body),
        **_sides("lead", lead),
        **_sides("meaning", meaning),
        "confused": body.confused,
        "rare_pair": found.pair,
        "rare_story": found.story,
        "rare_outside": found.outside,
        "quoted": quoted(articles, stories, copied),
        **_lives(stories, moments),
        **facts,
    }


def _linked(
    articles: Sequence[PreparedArticle],
) -> tuple[list[LinkedArticle], Vocabulary]:
    vocabulary, numbers = Vocabulary().grown([one.counts for one in articles])
    counted = [
        (one, open_article(one, 0, terms))
        for one, terms in zip(articles, numbers, strict=True)
    ]
    # one at a time: articles stay in the order in which they came
    linked = [linked_articles(in_order([each]), n)[0] for n, each in enumerate(counted)]
    return linked, vocabulary


def _terms(vocabulary: Vocabulary) -> list[str]:
    return vocabulary.written(np.arange(len(vocabulary)))


def _incidence(articles: Sequence[LinkedArticle], terms: int) -> sparse.csr_array:
    starts = np.cumsum([0, *(len(one.terms) for one in articles)])
    columns = np.concatenate([one.terms for one in articles])
    return sparse.csr_array(
        (np.ones(len(columns)), columns, starts), shape=(len(articles), terms)
    )


def _sparse(rows: Rows, terms: int) -> sparse.csr_array:
    found = sparse.csr_array(
        (rows.values.astype(np.float64), rows.terms, rows.start),
        shape=(len(rows.start) - 1, terms),
    )
    lengths = np.sqrt(found.power(2).sum(axis=1))
    return sparse.csr_array(found * (1 / np.maximum(lengths, 1e-12))[:, None])


def _sides(name: str, found: Likeness) -> Facts:
    return {
        **quantiles(f"{name}_within", found.within, found.weight),
        **quantiles(f"{name}_outside", found.outside),
    }


def _lives(stories: Indices, moments: Indices) -> Facts:
    known = stories >= 0
    order = np.lexsort((moments[known], stories[known]))
    story, moment = stories[known][order], moments[known][order]
    starts = np.flatnonzero(np.diff(story, prepend=-1))
    sizes = np.diff(starts, append=len(story))
    lasts = moment[starts + sizes - 1] // _DAY - moment[starts] // _DAY
    several = sizes > 1
    return {
        "alone": float(sizes[~several].sum() / len(story)),
        **quantiles("size", sizes[several].tolist()),
        **quantiles("days", lasts[several].tolist()),
    }


def _numbered(labels: Sequence[str | None]) -> Indices:
    number: dict[str | None, int] = {None: -1}
    for each in labels:
        number.setdefault(each, len(number) - 1)
    return np.array([number[each] for each in labels], dtype=np.int64)
