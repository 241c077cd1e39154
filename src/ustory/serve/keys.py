"""API keys: who may write, and who may read when reading is not for everybody."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Sequence
from hashlib import sha256

from starlette.types import Scope

SHORTEST = 16
"""Characters of a key: shorter ones can be guessed."""


def new_key() -> str:
    """Return a key nobody can guess."""
    return secrets.token_urlsafe(32)


def digest_of(key: str) -> str:
    """Return what is kept of a key: enough to know it again, not to use it."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


class Keys:
    """The keys a server knows, by their digests."""

    def __init__(self, digests: Iterable[str]) -> None:
        self._digests: Sequence[str] = tuple(digests)

    @classmethod
    def of(cls, keys: Iterable[str]) -> Keys:
        """Return the keys as a server keeps them."""
        return cls(digest_of(key) for key in keys)

    def know(self, key: str | None) -> bool:
        """Tell whether a key is one of ours, in a time that says nothing about it."""
        if key is None:
            return False
        given = digest_of(key)
        found = False
        for known in self._digests:  # all of them: leaving early would tell which
            found |= hmac.compare_digest(known, given)
        return found


def key_in(authorization: str | None) -> str | None:
    """Return the key of an Authorization header, None if it holds none.

    >>> key_in("Bearer abc"), key_in("Basic abc"), key_in(None)
    ('abc', None, None)
    """
    scheme, _, key = (authorization or "").partition(" ")
    key = key.strip()
    return key if scheme.lower() == "bearer" and key else None


def caller_of(scope: Scope, keys: Keys) -> str:
    """Return what a caller's requests are counted under: its key, or its address.

    Only a key we know counts: else everybody had as many buckets as made-up keys.
    """
    for name, value in scope["headers"]:
        if name == b"authorization":
            key = key_in(value.decode("latin-1"))
            if key is not None and keys.know(key):
                return f"key {digest_of(key)}"
    client = scope.get("client")
    return f"address {client[0] if client else 'unknown'}"
