"""The way to the world: what is fetched from the web and other living sources."""

from ustory.fetch.errors import FETCH_KINDS, FetchError
from ustory.fetch.item import Fetched

__all__ = ["FETCH_KINDS", "FetchError", "Fetched"]
