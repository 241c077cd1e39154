"""States as bytes: typed columns in a versioned, checksummed frame; no pickle."""

from ustory.snapshot.frame import seal, unseal

__all__ = ["seal", "unseal"]
