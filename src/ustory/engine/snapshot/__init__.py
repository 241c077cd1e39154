"""States as bytes: typed columns in a versioned, checksummed frame; no pickle."""

from ustory.engine.snapshot.container import Written, seal, unseal, written_by

__all__ = ["Written", "seal", "unseal", "written_by"]
