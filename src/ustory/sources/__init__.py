"""The way in: articles read from files and streams, checked, in order of time."""

from ustory.sources.merging import HeldArticles, merge, seen_within
from ustory.sources.open import Fit, ReadOptions, SourceKind, open_source
from ustory.sources.records.fields import MAX_ARTICLE_BYTES, to_article
from ustory.sources.records.problems import Place, Problems

__all__ = [
    "MAX_ARTICLE_BYTES",
    "Fit",
    "HeldArticles",
    "Place",
    "Problems",
    "ReadOptions",
    "SourceKind",
    "merge",
    "open_source",
    "seen_within",
    "to_article",
]
