"""The keys of a database: those given, or one that is made when there is none."""

from __future__ import annotations

from collections.abc import Sequence

from ustory.core.errors import ConfigError
from ustory.serve.keys import SHORTEST, Keys, digest_of, new_key
from ustory.store import Store
from ustory.store.meta import get_meta, put_meta

_META = "keys"


def keys_of(store: Store, given: Sequence[str]) -> tuple[Keys, str | None]:
    """Return the keys in force, and the one that was made just now, if one was.

    A key that is made is kept as a digest: whoever loses it makes another, by giving
    one. Keys that are given are not kept, and come on top of the one that is.
    """
    for key in given:
        if len(key) < SHORTEST or not key.isascii() or not key.isprintable():
            raise ConfigError(
                f"an API key needs {SHORTEST} plain characters or more; got "
                f"{len(key)}: make one with `openssl rand -hex 32`"
            )
    with store.read() as connection:
        kept = list(get_meta(connection, _META, []))
    digests = [*kept, *map(digest_of, given)]
    if digests:
        return Keys(digests), None
    made = new_key()
    with store.write() as connection:
        put_meta(connection, _META, [digest_of(made)])
    return Keys([digest_of(made)]), made
