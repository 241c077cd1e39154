"""The table of keys, and its row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import get_type_hints

from ustory.store.columns import table


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow:
    """A key; only its digest is kept."""

    name: str
    digest: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        """Return whether the key opens anything at a moment."""
        expired = self.expires_at is not None and now >= self.expires_at
        return self.revoked_at is None and not expired


keys = table("keys", get_type_hints(KeyRow), "name")
