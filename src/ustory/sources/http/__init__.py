"""Requests to the web: guarded, bounded in size and time, polite."""

from ustory.sources.http.errors import FETCH_KINDS, FetchError

__all__ = ["FETCH_KINDS", "FetchError"]
