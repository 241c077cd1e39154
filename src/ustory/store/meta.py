"""Settings in force and other facts about the archive as a whole."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, select

from ustory.store.mapping import upsert
from ustory.store.tables import meta


def get_meta(connection: Connection, key: str, default: Any = None) -> Any:  # noqa: ANN401 - any JSON value
    """Return the JSON value kept under a key, `default` where there is none."""
    query = select(meta.c.value).where(meta.c.key == key)
    found = connection.execute(query).first()
    return default if found is None else found[0]


def put_meta(connection: Connection, key: str, value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Keep a JSON value under a key; None takes it away."""
    if value is None:
        connection.execute(delete(meta).where(meta.c.key == key))
    else:
        upsert(connection, meta, [{"key": key, "value": value}])
