"""The way in: articles read from files and streams, checked, in order of time."""

from ustory.sources.files.dataset import DataSetSource
from ustory.sources.files.jsonl import JsonLinesSource
from ustory.sources.files.parquet import ParquetSource
from ustory.sources.files.table import CsvSource
from ustory.sources.merging import merge
from ustory.sources.open import FORMATS, open_source
from ustory.sources.records.fields import MAX_ARTICLE_BYTES, to_article
from ustory.sources.records.place import Place
from ustory.sources.records.problems import Problems
from ustory.sources.records.seen import Held, seen_within

__all__ = [
    "FORMATS",
    "MAX_ARTICLE_BYTES",
    "CsvSource",
    "DataSetSource",
    "Held",
    "JsonLinesSource",
    "ParquetSource",
    "Place",
    "Problems",
    "merge",
    "open_source",
    "seen_within",
    "to_article",
]
