"""API keys: their names, what each may do, and whether it still may."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, select, update

from ustory.store.mapping import load_all, load_one, upsert, values
from ustory.store.tables import KeyRow, keys


def all_keys(connection: Connection) -> list[KeyRow]:
    """Return every key there ever was, by name."""
    return load_all(connection, select(keys).order_by(keys.c.name), KeyRow)


def key(connection: Connection, name: str) -> KeyRow | None:
    """Return a key by its name."""
    return load_one(connection, select(keys).where(keys.c.name == name), KeyRow)


def put_key(connection: Connection, row: KeyRow) -> None:
    """Add a key, or put it in the place of the one with its name."""
    upsert(connection, keys, [values(row)])


def revoke_key(connection: Connection, name: str, at: datetime) -> bool:
    """Let a key open nothing any more; return whether one did until now."""
    found = update(keys).where(keys.c.name == name, keys.c.revoked_at.is_(None))
    return connection.execute(found.values(revoked_at=at)).rowcount > 0


def note_use(connection: Connection, used: Mapping[str, datetime]) -> None:
    """Note when keys were last used, by their names."""
    for name, at in sorted(used.items()):
        found = update(keys).where(keys.c.name == name)
        connection.execute(found.values(last_used_at=at))
