"""The own theme of each unassigned article, in the context of the window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Counts, Indices, Mask, Vector
from ustory.core.settings import Settings
from ustory.paper.themes.scoring import Context, idf_levels, pane_recency, tfidf
from ustory.paper.themes.theme_scan import (
    FrequentEntries,
    OwnKeywords,
    TermRows,
    frequent_entries,
    largest,
    own_keywords,
)
from ustory.window.documents import Documents
from ustory.window.raw_buffers import ENTRIES, SCRATCH, TERMS, TF
from ustory.window.unassigned import Batch


@dataclass(frozen=True, slots=True)
class OwnThemes:
    """K_a of each article of a batch, as hits: entry `entry[i]` is a keyword."""

    entry: Indices
    """Ascending, so that hits are sorted by article."""
    article: Indices
    weight: Vector


def own_themes(
    batch: Batch, documents: Documents, days: dict[int, float], settings: Settings
) -> OwnThemes:
    """Return the own themes of a batch: 𝔻 is all articles of the window (Sec. 5.2).

    The top N are compared as float32; ties go to the term listed first. Terms
    that an article has once are compared only if the N-th of the others does not
    outweigh the rarest of them.
    """
    recency = pane_recency(documents.panes, days, settings.time_aware)
    factor = np.array([recency[pane] for pane in batch.pane.tolist()])
    if registry.find("scorings", settings.scoring) is tfidf:
        return _by_tfidf(batch, documents, factor, settings.keywords)
    length = sum(recency[p] * d.length for p, d in documents.panes.items())
    return by_any_scoring(batch, _OwnThemeSearch(documents, factor, length, settings))


def _by_tfidf(
    batch: Batch, documents: Documents, factor: Vector, keywords: int
) -> OwnThemes:
    """Return the own themes by TF-IDF, which has a compiled loop."""
    rows = _term_rows(batch)
    most = int(np.minimum(rows.length, keywords).sum())
    entry, article = np.empty((2, most), dtype=np.int64)
    out = OwnKeywords(entry, article, np.empty(most))
    idf = idf_levels(documents.articles)
    end = own_keywords(rows, factor, documents.df, idf, keywords, out)
    entry, article = entry[:end], article[:end]
    return OwnThemes(batch.entry_start[article] + entry, article, out.weight[:end])


def by_any_scoring(batch: Batch, search: _OwnThemeSearch) -> OwnThemes:
    """Return the own themes by any scoring, through whole arrays."""
    often = np.full(len(batch), 2)
    first, sure = search.best(batch, often)
    again = np.flatnonzero(~sure)
    if not len(again):
        return first
    second, _ = search.best(batch, np.where(sure, _UNREACHABLE_TF, 1))
    keep = sure[first.article]
    entry = np.concatenate([first.entry[keep], second.entry])
    order = np.argsort(entry, kind="stable")
    return OwnThemes(
        entry[order],
        np.concatenate([first.article[keep], second.article])[order],
        np.concatenate([first.weight[keep], second.weight])[order],
    )


_UNREACHABLE_TF = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True)
class _OwnThemeSearch:
    """The search for the keywords of articles, each with its recency."""

    documents: Documents
    recency: Vector
    length: float
    """Decayed length of all articles of the window."""
    settings: Settings

    def best(self, batch: Batch, least: Counts) -> tuple[OwnThemes, Mask]:
        """Return the keywords among terms that article i has `least[i]` times.

        And which articles are final: no rarer term can be a keyword.
        """
        start, entry, terms, tf = _frequent(batch, least)
        article = np.repeat(np.arange(len(batch), dtype=np.int32), np.diff(start))
        df = self.documents.df[terms]
        weights = self._weights(batch, tf * self.recency[article], df, np.diff(start))
        rank = weights.astype(np.float32)
        keywords = self.settings.keywords
        places = np.full((len(batch), keywords), -1, dtype=np.int64)
        largest(rank, start, keywords, places)
        ones = np.ones(len(batch), dtype=np.int32)
        unseen = self._weights(batch, self.recency * (least - 1), ones, ones)
        nth = np.append(rank, np.float32(-np.inf))[places[:, -1]]
        found = np.sort(places[places >= 0])
        return OwnThemes(
            batch.entry_start[article[found]] + entry[found],
            article[found],
            weights[found],
        ), (nth > unseen.astype(np.float32)) | (least == 1)

    def _weights(self, batch: Batch, tf: Vector, df: Counts, sizes: Counts) -> Vector:
        lengths = np.array([article.length for article in batch.articles])
        mean = self.length / max(self.documents.articles, 1)
        context = Context(self.documents.articles, lengths * self.recency, sizes, mean)
        score = registry.find("scorings", self.settings.scoring)
        weights: Vector = score(tf, df, context)
        return weights


def _frequent(batch: Batch, least: Counts) -> FrequentEntries:
    """Return the entries that article i has at least `least[i]` times."""
    rows = _term_rows(batch)
    most = int(rows.length.sum())
    start = np.zeros(len(batch) + 1, dtype=np.int64)
    columns = (SCRATCH.ints(f"frequent {i}", most) for i in range(3))
    out = FrequentEntries(start, *columns)
    end = frequent_entries(rows, least, out)
    return FrequentEntries(start, *(column[:end].copy() for column in out[1:]))


def _term_rows(batch: Batch) -> TermRows:
    length, terms_at, tf_at = batch.buffers[:, [ENTRIES, TERMS, TF]].T.copy()
    return TermRows(terms_at, tf_at, length)
