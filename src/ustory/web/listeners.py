"""Places for those who listen to events: so many in all, for one caller, for keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from ustory.web.errors import ApiError
from ustory.web.limits import Limits

_RETRY_AFTER = {"Retry-After": "30"}


class Places:
    """The places that are taken, by caller. Mutable, for one thread.

    Without a key a caller has only a few, and a share of all of them is never given
    to callers without a key: nobody can listen everybody else away.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits.within()
        self._open = int(self._limits.listeners * (1 - limits.keyed_listeners)) or 1
        self._taken: Counter[tuple[str, bool]] = Counter()

    def take(self, caller: str, *, keyed: bool) -> None:
        """Take a place; ApiError where there is none."""
        limits = self._limits
        own = limits.listeners_per_key if keyed else limits.listeners_per_address
        if self._taken[caller, keyed] >= own:
            raise ApiError(
                429,
                f"one caller may listen {own:,} times; end another stream first",
                headers=_RETRY_AFTER,
            )
        without = sum(many for (_, has), many in self._taken.items() if not has)
        full = without >= self._open and not keyed
        if full or self._taken.total() >= limits.listeners:
            raise ApiError(
                503,
                f"{limits.listeners:,} listeners are the most this server serves, "
                f"{self._open:,} of them without a key; try later",
                headers=_RETRY_AFTER,
            )
        self._taken[caller, keyed] += 1

    def leave(self, caller: str, *, keyed: bool) -> None:
        """Give a place back."""
        self._taken[caller, keyed] -= 1
        if not self._taken[caller, keyed]:
            del self._taken[caller, keyed]


class Held(StreamingResponse):
    """An answer that holds something until its last byte is sent, or cannot be."""

    _release: Callable[[], None]

    def until_sent(self, release: Callable[[], None]) -> Held:
        """Say how what it holds is given back; a stream may never even begin."""
        self._release = release
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream, then give back what it holds, however it ended."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._release()
