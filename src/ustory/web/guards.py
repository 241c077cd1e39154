"""Limits on requests: rates, bodies, turns, and places for listeners."""

from __future__ import annotations

import time
from asyncio import Semaphore
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fastapi.responses import StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ustory.web.errors import ApiError, error_response
from ustory.web.keys import CALLER, Caller, Keys, caller_of
from ustory.web.limits import Buckets, Limits

PROBES = ("/healthz", "/readyz", "/metrics")
"""Requests of supervisors have their own rate: readers cannot use it up."""
_WITHOUT_TURN = ("/api/events", "/healthz", "/static/")
READING = ("GET", "HEAD", "OPTIONS")
MATCH = "/api/match"
"""The path that accepts a body without a key."""
_BYTES_PER_CHARACTER = 8
"""Bytes of a body per character of a text to match, JSON included."""
_RETRY_AFTER = 5
_EMPTY: Message = {"type": "http.request", "body": b"", "more_body": False}


class Unread:
    """Does not read the body of a sender who may not write: it is refused anyway.

    The app would read and parse a body before it checks the key. It sees an empty one
    and gives the same answer (401, 404, 405). The connection discards the body.
    """

    def __init__(self, app: ASGIApp, private: bool) -> None:
        self.app = app
        self._private = private

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with its body or without."""
        if scope["type"] == "http" and not self._is_read(scope):
            receive = again([_EMPTY], receive)
        await self.app(scope, receive, send)

    def _is_read(self, scope: Scope) -> bool:
        caller = scope[CALLER]
        known = caller.name is not None
        if scope["method"] in READING or (known and not caller.by_login):
            return True
        return scope["path"] == MATCH and (known or not self._private)


class BodyLimit:
    """Refuses bodies over the limit while they come in, whatever their header says.

    A refused body is never held in memory. The connection discards the rest of it
    (`Connection.data_received`): a client that is still sending would otherwise see
    a broken connection instead of our answer.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self._limit = limits.body
        self._limit_without_key = min(limits.body, _BYTES_PER_CHARACTER * limits.match)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count the bytes read of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        keyless = scope["path"] == MATCH and scope[CALLER].name is None
        limit = self._limit_without_key if keyless else self._limit
        if _claimed(scope) > limit:
            await _too_large(limit).response()(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise _too_large(limit)
            return message

        try:
            await self.app(scope, counted, send)
        except ApiError as error:  # read before the app, which would answer it
            await error.response()(scope, receive, send)


def _too_large(limit: int) -> ApiError:
    return ApiError(
        413, f"a body may have {limit:,} bytes at most; send less at a time"
    )


class RateLimit:
    """Refuses callers with too many requests, by their key or else their address."""

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
        """Find the caller, and pass the request on or refuse it."""
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
    """Limits the requests answered at a time, in all and per caller.

    Answers are computed by forty threads. A caller who sends a hundred requests at
    once waits for their own, and reading never uses the threads for writing. Event
    streams need no thread. A body is read before its turn, so that a slow one does
    not make others wait. All bodies held together have a limit; callers without a
    key share half of it.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self._at_once = limits.at_once
        self._buffered = limits.buffered
        self._held = 0
        self._reading = Semaphore(limits.reading)
        self._writing = Semaphore(limits.writing)
        self._own: dict[tuple[str, bool], tuple[Semaphore, int]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when its turn has come."""
        if scope["type"] != "http" or scope["path"].startswith(_WITHOUT_TURN):
            await self.app(scope, receive, send)
            return
        if scope["method"] in READING:
            await self._in_turn(scope, receive, send)
            return
        with self._share(scope[CALLER]) as take:
            receive = again(await whole(receive, take), receive)
            await self._in_turn(scope, receive, send)

    @contextmanager
    def _share(self, caller: Caller) -> Iterator[Callable[[int], None]]:
        """Yield a function that counts the bytes of one body while they are held."""
        most = self._buffered if caller.name is not None else self._buffered // 2
        mine = 0

        def take(size: int) -> None:
            nonlocal mine
            if size and self._held + size > most:
                raise ApiError(
                    503,
                    f"too much is being sent; try again in {_RETRY_AFTER} s",
                    headers={"Retry-After": str(_RETRY_AFTER)},
                )
            mine += size
            self._held += size

        try:
            yield take
        finally:
            self._held -= mine

    async def _in_turn(self, scope: Scope, receive: Receive, send: Send) -> None:
        reading = scope["method"] in READING
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


async def whole(receive: Receive, take: Callable[[int], None]) -> list[Message]:
    """Return the messages of a complete body; `take` counts bytes."""
    messages = []
    while True:
        messages.append(await receive())
        take(len(messages[-1].get("body", b"")))
        if not messages[-1].get("more_body", False):
            return messages


def again(messages: list[Message], receive: Receive) -> Receive:
    """Return a `receive` that yields these messages first, and then new ones."""
    left = iter(messages)

    async def given() -> Message:
        return next(left, None) or await receive()

    return given


def _claimed(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0


_LISTENER_RETRY = {"Retry-After": "30"}


class Places:
    """Places of listeners that are taken, by caller. Mutable, for one thread.

    A caller without a key has only a few, and a share of all places is kept for
    callers with a key, so that nobody can take them all.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits.within()
        self._open = int(self._limits.listeners * (1 - limits.keyed_listeners)) or 1
        self._taken: Counter[tuple[str, bool]] = Counter()

    def take(self, caller: str, *, keyed: bool) -> None:
        """Take a place; ApiError if there is none."""
        limits = self._limits
        own = limits.listeners_per_key if keyed else limits.listeners_per_address
        if self._taken[caller, keyed] >= own:
            raise ApiError(
                429,
                f"one caller may listen {own:,} times; end another stream first",
                headers=_LISTENER_RETRY,
            )
        without = sum(many for (_, has), many in self._taken.items() if not has)
        full = without >= self._open and not keyed
        if full or self._taken.total() >= limits.listeners:
            raise ApiError(
                503,
                f"this server serves at most {limits.listeners:,} listeners, "
                f"{self._open:,} of them without a key; try later",
                headers=_LISTENER_RETRY,
            )
        self._taken[caller, keyed] += 1

    def leave(self, caller: str, *, keyed: bool) -> None:
        """Give a place back."""
        self._taken[caller, keyed] -= 1
        if not self._taken[caller, keyed]:
            del self._taken[caller, keyed]


class Held(StreamingResponse):
    """An answer that holds a resource until its last byte is sent or fails."""

    _release: Callable[[], None]

    def until_sent(self, release: Callable[[], None]) -> Held:
        """Set the function that releases the resource; a stream may never begin."""
        self._release = release
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream, then release the resource, however it ended."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._release()
