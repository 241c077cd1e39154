"""The keys of a database: those given, those kept, or one that is made for both."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime

from ustory.core.errors import ConfigError
from ustory.store import Store
from ustory.store.keys import all_keys, note_use, put_key, revoke_key
from ustory.store.tables import KeyRow
from ustory.web.keys import ADMIN, SHORTEST, Keys, digest_of, new_key

logger = logging.getLogger(__name__)

FIRST = "first"
"""The name of the key that is made where there is none."""


def keys_of(
    store: Store, given: Sequence[str], now: datetime
) -> tuple[Keys, str | None]:
    """Return the keys in force, and the one that was made just now, if one was.

    Keys that are given are not kept. They replace the one that was made; those that
    somebody added (`ustory keys add`) hold beside them.
    """
    for key in given:
        _check(key)
    keys = Keys.of(given)
    with store.write() as connection:
        if given and revoke_key(connection, FIRST, now):
            logger.warning(
                "keys are given: the one that the first start made is revoked"
            )
        made = None
        if not given and not any(row.is_valid(now) for row in all_keys(connection)):
            made = new_key()
            row = KeyRow(
                name=FIRST, digest=digest_of(made), scopes=(ADMIN,), created_at=now
            )
            put_key(connection, row)
        keys.load(all_keys(connection))
    return keys, made


def refresh(store: Store, keys: Keys, *, note: bool) -> None:
    """Read the keys of the database again; with `note`, write which were used."""
    used = keys.used() if note else {}
    if used:
        with store.write() as connection:
            note_use(connection, used)
    with store.read() as connection:
        keys.load(all_keys(connection))


def _check(key: str) -> None:
    if len(key) < SHORTEST or not key.isascii() or not key.isprintable():
        raise ConfigError(
            f"an API key needs {SHORTEST} plain characters or more; got "
            f"{len(key)}: make one with `openssl rand -hex 32`"
        )
