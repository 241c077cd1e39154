"""API keys: those given to the process, those of the database, and their callers."""

from __future__ import annotations

import hmac
import logging
import secrets
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from starlette.types import Scope

from ustory.core.errors import ConfigError
from ustory.store import Store
from ustory.store.keys import all_keys, note_use, put_key, revoke_key
from ustory.store.tables import KeyRow
from ustory.web.connections import place_of

MIN_KEY, MAX_KEY = 16, 1_000
"""Characters of a key: shorter ones can be guessed."""
ADMIN = "admin"
CALLER = "ustory.caller"
"""The scope entry of a request with its caller."""
GIVEN = "given"
"""The first part of the names of keys given to the process."""
SCOPES: Mapping[str, str] = {
    "read": "read a private service",
    "articles": "send articles",
    "feeds": "add and remove feeds, and see their whole addresses",
    "watchlists": "make, change and remove watchlists",
    ADMIN: "all of it",
}
"""The scopes of keys, with their meaning."""


def new_key() -> str:
    """Return a new random key."""
    return secrets.token_urlsafe(32)


def digest_of(key: str) -> str:
    """Return the digest of a key: only that is stored."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who sent a request."""

    id: str
    """The name for counting its requests: its key, or its address."""
    name: str | None = None
    """The name of its key; None if it has none."""
    scopes: frozenset[str] = frozenset()
    by_login: bool = False
    """Whether the key came as a password, which browsers also send for other sites."""

    @property
    def origin(self) -> str:
        """The origin of articles that it sends, as the store names it.

        Keys given to the process are the operator's, and change: they are one origin.
        """
        given = self.name is not None and self.name.startswith(GIVEN)
        return f"api:{GIVEN if given else self.name}"

    def may(self, scope: str) -> bool:
        """Return whether its key has a scope."""
        return scope in self.scopes or ADMIN in self.scopes


class Keys:
    """The keys of a server, by their digests. Mutable, for any thread.

    Keys given to the process stay; those of the database are read again every few
    seconds (`load`).
    """

    def __init__(
        self,
        given: Iterable[KeyRow] = (),
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._given: Sequence[KeyRow] = tuple(given)
        self._stored: Sequence[KeyRow] = ()
        self._clock = clock
        self._used: dict[str, datetime] = {}

    @classmethod
    def of(cls, keys: Iterable[str]) -> Keys:
        """Return keys given to the process, which have every scope.

        Each is named by its digest, so that its name does not depend on the order.
        """
        return cls(given_row(key) for key in keys)

    def load(self, rows: Iterable[KeyRow]) -> None:
        """Replace the keys of the database."""
        self._stored = tuple(rows)

    def find(self, key: str | None) -> KeyRow | None:
        """Return the row of a key, in constant time."""
        if key is None or len(key) > MAX_KEY:
            return None
        digest, now = digest_of(key), self._clock()
        found = None
        # all of them: stopping early would reveal which
        for row in (*self._given, *self._stored):
            same = hmac.compare_digest(row.digest, digest)
            if same and row.is_valid(now):
                found = row
        if found is not None:
            self._used[found.name] = now
        return found

    def know(self, key: str | None) -> bool:
        """Return whether a key is valid."""
        return self.find(key) is not None

    def used(self) -> dict[str, datetime]:
        """Return the keys used since the last call, with the time."""
        used, self._used = self._used, {}
        return used


def given_row(key: str) -> KeyRow:
    """Return the row of a key given to the process, named by its digest."""
    digest = digest_of(key)
    return KeyRow(
        name=f"{GIVEN}-{digest[:8]}",
        digest=digest,
        scopes=(ADMIN,),
        created_at=datetime.fromtimestamp(0, UTC),
    )


def key_in(authorization: str | None) -> str | None:
    """Return the key of an Authorization header, None if it holds none.

    >>> key_in("Bearer abc"), key_in("Basic abc"), key_in(None)
    ('abc', None, None)
    """
    scheme, _, key = (authorization or "").partition(" ")
    key = key.strip()
    return key if scheme.lower() == "bearer" and key else None


def password_in(authorization: str | None) -> str | None:
    """Return the password of a basic login, None if there is none.

    >>> password_in("Basic YTpi"), password_in(None)
    ('b', None)
    """
    scheme, _, login = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        return b64decode(login, validate=True).decode().partition(":")[2] or None
    except ValueError:
        return None


def caller_of(scope: Scope, keys: Keys) -> Caller:
    """Return who sent a request.

    Unknown keys do not count: otherwise invented keys would give a caller any number
    of buckets.
    """
    said = next((v for n, v in scope["headers"] if n == b"authorization"), b"")
    header = said[: 2 * MAX_KEY].decode("latin-1")
    key, password = key_in(header), password_in(header)
    found = keys.find(key or password)
    if found is not None:
        return Caller(
            id=f"key {found.name}",
            name=found.name,
            scopes=frozenset(found.scopes),
            by_login=key is None,
        )
    client = scope.get("client")
    return Caller(id=f"address {place_of(client[0] if client else None)}")


logger = logging.getLogger(__name__)

FIRST = "first"
"""The name of the key that is made if there is none."""


def keys_of(
    store: Store, given: Sequence[str], now: datetime
) -> tuple[Keys, str | None]:
    """Return the valid keys, and the one that was made just now, if any.

    Given keys are not stored. They replace the one that was made; keys added with
    `ustory keys add` stay valid beside them.
    """
    for key in given:
        _check(key)
    keys = Keys.of(given)
    with store.write() as connection:
        if given and revoke_key(connection, FIRST, now):
            logger.warning(
                "keys were given, so the key made by the first start is revoked"
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
    if len(key) < MIN_KEY or not key.isascii() or not key.isprintable():
        raise ConfigError(
            f"an API key needs {MIN_KEY} plain characters or more; got "
            f"{len(key)}: make one with `openssl rand -hex 32`"
        )
