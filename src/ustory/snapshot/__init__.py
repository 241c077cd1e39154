"""States as bytes: typed columns in a versioned, checksummed frame; no pickle."""

from ustory.snapshot.frame import Written, seal, unseal, written_by

__all__ = ["Written", "seal", "unseal", "written_by"]
