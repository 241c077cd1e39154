"""API keys and callers."""

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

SHORTEST, LONGEST = 16, 1_000
"""Characters of a key: shorter ones can be guessed."""
ADMIN = "admin"
CALLER = "ustory.caller"
"""Where a request keeps who sent it."""
GIVEN = "given"
"""What the names of keys begin with that are given to the process."""
SCOPES: Mapping[str, str] = {
    "read": "read what a private service tells",
    "articles": "send articles",
    "feeds": "add and remove feeds, and see their whole addresses",
    "watchlists": "make, change and remove watchlists",
    ADMIN: "all of it",
}
"""What a key can be good for."""


def new_key() -> str:
    """Return a key nobody can guess."""
    return secrets.token_urlsafe(32)


def digest_of(key: str) -> str:
    """Return what is kept of a key: enough to know it again, not to use it."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who sent a request."""

    id: str
    """What its requests are counted under: its key, or its address."""
    name: str | None = None
    """The name of its key; None is somebody without one."""
    scopes: frozenset[str] = frozenset()
    by_login: bool = False
    """Whether the key came as a password: browsers send it for other sites, too."""

    @property
    def origin(self) -> str:
        """What the store calls the source of articles that it sends.

        Keys that are given are the operator's, and change: they are one origin.
        """
        given = self.name is not None and self.name.startswith(GIVEN)
        return f"api:{GIVEN if given else self.name}"

    def may(self, scope: str) -> bool:
        """Tell whether its key is good for something."""
        return scope in self.scopes or ADMIN in self.scopes


class Keys:
    """The keys a server knows, by their digests. Mutable, for any thread.

    Those that are given hold as long as the process; those of the database are read
    again every few seconds (`load`).
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
        """Return keys that are given, which may do everything.

        Each is named by its digest, so that it has one name whatever the order.
        """
        return cls(given_row(key) for key in keys)

    def load(self, rows: Iterable[KeyRow]) -> None:
        """Know these keys of the database, and no others of it."""
        self._stored = tuple(rows)

    def find(self, key: str | None) -> KeyRow | None:
        """Return the key that this is, in a time that says nothing about it."""
        if key is None or len(key) > LONGEST:
            return None
        digest, now = digest_of(key), self._clock()
        found = None
        # all of them: leaving early would tell which
        for row in (*self._given, *self._stored):
            same = hmac.compare_digest(row.digest, digest)
            if same and row.is_valid(now):
                found = row
        if found is not None:
            self._used[found.name] = now
        return found

    def know(self, key: str | None) -> bool:
        """Tell whether a key is one of ours."""
        return self.find(key) is not None

    def used(self) -> dict[str, datetime]:
        """Return which keys were used since this was last asked, and when."""
        used, self._used = self._used, {}
        return used


def given_row(key: str) -> KeyRow:
    """Return a key that is given to the process, by a name made of its digest."""
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

    Only a key we know counts: else everybody had as many buckets as made-up keys.
    """
    said = next((v for n, v in scope["headers"] if n == b"authorization"), b"")
    header = said[: 2 * LONGEST].decode("latin-1")
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
