"""How much one caller may ask for, and how much may be sent at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ustory.serve.bucket import Buckets, Rate
from ustory.serve.errors import ApiError, error_response
from ustory.serve.keys import Keys, caller_of

_FREE = ("/healthz", "/readyz", "/metrics")
"""What supervisors ask for is never refused."""


_USUAL = Rate(burst=200, per_second=50.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a server puts up with."""

    body: int = 10_000_000
    """Bytes of a request's body."""
    reads: Rate = _USUAL
    writes: Rate = _USUAL
    listeners: int = 1_000
    """Open event streams."""
    stream_seconds: float | None = None
    """How long an event stream may last; None is as long as the listener likes."""
    heartbeat: float = 15.0
    """Seconds of silence after which an event stream says that it is alive."""


class BodyLimit:
    """Refuses bodies over the limit while they come in, whatever their length claims.

    What is refused is not read to its end, and never held in memory.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app = app
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, counting what is read of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if _claimed(scope) > self.limit:
            await self._refusal().response()(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.limit:
                raise self._refusal()
            return message

        await self.app(scope, counted, send)

    def _refusal(self) -> ApiError:
        # the rest of the body is still on its way: nothing else can follow it
        return ApiError(
            413,
            f"a body may have {self.limit:,} bytes at most; send less at a time",
            headers={"Connection": "close"},
        )


class RateLimit:
    """Refuses callers who ask too much, by their key or else by their address."""

    def __init__(
        self,
        app: ASGIApp,
        limits: Limits,
        keys: Keys,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app = app
        self._keys = keys
        self._reads = Buckets(limits.reads, clock)
        self._writes = Buckets(limits.writes, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http" or scope["path"] in _FREE:
            await self.app(scope, receive, send)
            return
        reading = scope["method"] in ("GET", "HEAD", "OPTIONS")
        buckets = self._reads if reading else self._writes
        wait = buckets.take(caller_of(scope, self._keys))
        if wait:
            answer = error_response(
                429,
                f"too many requests; try again in {wait} s",
                headers={"Retry-After": str(wait)},
            )
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _claimed(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
