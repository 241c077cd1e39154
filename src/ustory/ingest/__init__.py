"""The way in: articles read from files and streams, checked, in order of time."""

from ustory.ingest.dataset import DataSetSource
from ustory.ingest.fields import MAX_ARTICLE_BYTES, to_article
from ustory.ingest.jsonl import JsonLinesSource
from ustory.ingest.open import FORMATS, open_source
from ustory.ingest.parquet import ParquetSource
from ustory.ingest.place import Place
from ustory.ingest.problems import Problems
from ustory.ingest.seen import Held, seen_within
from ustory.ingest.stream import merge
from ustory.ingest.table import CsvSource

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
