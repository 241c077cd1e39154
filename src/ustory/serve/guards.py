"""What a request passes before it is answered: rates, and the size of its body."""

from __future__ import annotations

import time
from asyncio import Semaphore
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ustory.serve.bucket import Buckets
from ustory.serve.errors import ApiError, error_response
from ustory.serve.keys import CALLER, Keys, caller_of
from ustory.serve.limits import Limits

PROBES = ("/healthz", "/readyz", "/metrics")
"""What supervisors ask for has a rate of its own: readers cannot use it up."""
_WITHOUT_TURN = ("/api/events", "/healthz", "/static/")
READING = ("GET", "HEAD", "OPTIONS")


class BodyLimit:
    """Refuses bodies over the limit while they come in, whatever their length claims.

    What is refused is never held in memory. The connection reads the rest of it away
    (`Connection.data_received`): a client that is still sending would otherwise see
    a broken connection, and not our answer.
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

        try:
            await self.app(scope, counted, send)
        except ApiError as error:  # read before the app, which would answer it
            await error.response()(scope, receive, send)

    def _refusal(self) -> ApiError:
        return ApiError(
            413, f"a body may have {self.limit:,} bytes at most; send less at a time"
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
        self._probes = Buckets(limits.probes, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say who asks, and pass the request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        caller = scope[CALLER] = caller_of(scope, self._keys)
        wait = self._bucket(scope).take(caller.id)
        if wait:
            answer = error_response(
                429,
                f"too many requests; try again in {wait} s",
                headers={"Retry-After": str(wait)},
            )
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _bucket(self, scope: Scope) -> Buckets:
        if scope["method"] not in READING:
            return self._writes
        return self._probes if scope["path"] in PROBES else self._reads


class Turns:
    """Lets so many requests be answered at a time, and only a part of one caller.

    Answers are worked out by threads, of which there are forty. Who sends a hundred
    requests at once waits for their own, and reading never takes the threads that
    writing needs. Streams of events need none. A body is read before the turn comes:
    one that trickles must not keep others waiting.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self._at_once = limits.at_once
        self._reading = Semaphore(limits.reading)
        self._writing = Semaphore(limits.writing)
        self._own: dict[tuple[str, bool], tuple[Semaphore, int]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when its turn has come."""
        if scope["type"] != "http" or scope["path"].startswith(_WITHOUT_TURN):
            await self.app(scope, receive, send)
            return
        reading = scope["method"] in READING
        if not reading:
            receive = again(await whole(receive), receive)
        who = (scope[CALLER].id, reading)
        own, waiting = self._own.get(who) or (Semaphore(self._at_once), 0)
        self._own[who] = own, waiting + 1
        try:
            async with own, self._reading if reading else self._writing:
                await self.app(scope, receive, send)
        finally:
            own, waiting = self._own[who]
            self._own[who] = own, waiting - 1
            if waiting == 1:
                del self._own[who]


async def whole(receive: Receive) -> list[Message]:
    """Return the messages of a body, once all of it is there."""
    messages = []
    while True:
        messages.append(await receive())
        if not messages[-1].get("more_body", False):
            return messages


def again(messages: list[Message], receive: Receive) -> Receive:
    """Return what gives these messages again, and then what else comes."""
    left = iter(messages)

    async def given() -> Message:
        return next(left, None) or await receive()

    return given


def _claimed(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
