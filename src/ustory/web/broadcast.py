"""Events for any number of listeners, read from the store once for all of them."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

logger = logging.getLogger(__name__)

BATCH = 500
"""Events read at a time for a listener that is behind."""
MAX_EVENTS_PER_READ = 2_000
"""Events published at once."""
MAX_RECENT_EVENTS = 4_000
"""Events kept in memory for listeners; those further behind read the store."""


@dataclass(frozen=True, slots=True)
class EncodedEvent:
    """An event as it is sent, encoded once for all listeners."""

    id: int
    kind: str
    story: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a listener asks for."""

    after: int | None = None
    """The id of the last event it has; None is from now on."""
    limit: int | None = None
    """Events after which its stream ends."""
    story: str | None = None
    kinds: frozenset[str] = frozenset()
    """The kinds of events it wants; all when empty."""

    @property
    def is_all(self) -> bool:
        """Whether it wants every event."""
        return self.limit is None and self.story is None and not self.kinds

    def takes(self, event: EncodedEvent) -> bool:
        """Return whether the listener wants an event."""
        return (self.story is None or event.story == self.story) and (
            not self.kinds or event.kind in self.kinds
        )


class Ledger(Protocol):
    """Reads events; called outside the event loop."""

    def after(
        self,
        event: int,
        limit: int,
        story: str | None = None,
        kinds: Collection[str] = (),
    ) -> Sequence[EncodedEvent]:
        """Return the events after one, oldest first; of a story, of some kinds."""
        ...

    def last(self) -> int:
        """Return the id of the newest event, 0 if there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The timing of the streams, in seconds."""

    poll: float = 0.5
    rest: float = 1.0
    """Between two batches, so that slides that are caught up with do not wake listeners
    one by one."""
    heartbeat: float = 15.0
    stream: float | None = None
    """How long a stream may last."""


HEARTBEAT = b": still here\n\n"


@dataclass(frozen=True, slots=True)
class _Batch:
    """The last events read from the ledger, also joined."""

    before: int
    end: int
    """The last event that was read, wanted or not."""
    events: Sequence[EncodedEvent]
    joined: bytes


class Broadcaster:
    """One reader of the ledger for all listeners. Mutable; lives in the event loop.

    A listener wakes up once for a batch of events, and sends bytes that are encoded
    once for all: 200 listeners cost little more than one.
    """

    def __init__(self, ledger: Ledger, pace: Pace) -> None:
        self._ledger = ledger
        self._pace = pace
        self._recent: deque[EncodedEvent] = deque(maxlen=MAX_RECENT_EVENTS)
        self._last = 0
        self._newest: _Batch | None = None
        self._fresh: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._nudged = asyncio.Event()
        self._closed = False
        self.listeners = 0

    async def start(self) -> None:
        """Begin to read the ledger from its current end."""
        self._last = await asyncio.to_thread(self._ledger.last)
        self._fresh = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End every stream, then the reader."""
        self.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def close(self) -> None:
        """End every stream; listeners that come back send their position."""
        self._closed = True
        if self._fresh is not None and not self._fresh.done():
            self._fresh.set_result(None)

    def nudge(self) -> None:
        """Read the ledger now: a slide was written. For the event loop's thread."""
        self._nudged.set()

    async def stream(self, wanted: Wanted) -> AsyncIterator[bytes]:
        """Yield the events that a listener wants, until it has all or leaves."""
        self.listeners += 1
        try:
            async for part in self._stream(wanted):
                yield part
        finally:
            self.listeners -= 1

    async def _stream(self, wanted: Wanted) -> AsyncIterator[bytes]:
        yield b"retry: 2000\n\n"
        left = Count(wanted.limit)
        position = self._last
        if wanted.after is not None:
            position = min(wanted.after, self._last)
        until = _deadline(self._pace.stream)
        while not (left.none or self._closed or _is_over(until)):
            if position >= self._last:
                if not await self._is_fresh(until):
                    yield HEARTBEAT
                continue
            batch = await self._behind(position, wanted)
            position = batch.end
            data = batch.joined if wanted.is_all else _chosen(batch, wanted, left)
            if data:
                yield data

    async def _is_fresh(self, until: float | None) -> bool:
        """Wait for events; return whether any came before the next heartbeat."""
        assert self._fresh is not None
        wait = self._pace.heartbeat
        if until is not None:
            wait = min(wait, max(0.0, until - asyncio.get_running_loop().time()))
        done, _ = await asyncio.wait([self._fresh], timeout=wait)
        return bool(done)

    async def _behind(self, position: int, wanted: Wanted) -> _Batch:
        """Return the events after a position, from memory if they are there."""
        newest, last = self._newest, self._last
        if newest is not None and newest.before == position:
            return newest
        if self._recent and self._recent[0].id <= position + 1:
            recent = [f for f in self._recent if f.id > position]
            return _Batch(position, last, recent, _joined(recent))
        events = await asyncio.to_thread(
            self._ledger.after, position, BATCH, wanted.story, wanted.kinds
        )
        # a full page may have more after it; a shorter one is complete
        end = events[-1].id if len(events) == BATCH else last
        if events:
            end = max(end, events[-1].id)
        return _Batch(position, end, events, _joined(events))

    async def _run(self) -> None:
        while True:
            events: Sequence[EncodedEvent] = ()
            try:
                events = await asyncio.to_thread(
                    self._ledger.after, self._last, MAX_EVENTS_PER_READ
                )
            except Exception:  # the reader continues after any failure
                logger.warning("cannot read the ledger; trying again", exc_info=True)
            if events:
                self._publish(events)
                await asyncio.sleep(self._pace.rest)
            if len(events) < MAX_EVENTS_PER_READ:
                await self._pause()

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._nudged.wait(), self._pace.poll)
        self._nudged.clear()

    def _publish(self, events: Sequence[EncodedEvent]) -> None:
        self._recent.extend(events)
        joined = _joined(events)
        self._newest = _Batch(self._last, events[-1].id, events, joined)
        self._last = events[-1].id
        before = self._fresh
        self._fresh = asyncio.get_running_loop().create_future()
        if before is not None and not before.done():
            before.set_result(None)


class Count:
    """How many events a listener still wants. Mutable."""

    def __init__(self, limit: int | None) -> None:
        self._left = limit

    @property
    def none(self) -> bool:
        """Whether no more events are wanted."""
        return self._left == 0

    def take(self) -> bool:
        """Take one, if one is wanted."""
        if self._left == 0:
            return False
        if self._left is not None:
            self._left -= 1
        return True


def _deadline(seconds: float | None) -> float | None:
    return None if seconds is None else asyncio.get_running_loop().time() + seconds


def _is_over(until: float | None) -> bool:
    return until is not None and asyncio.get_running_loop().time() >= until


def _joined(events: Sequence[EncodedEvent]) -> bytes:
    return b"".join(event.data for event in events)


def _chosen(batch: _Batch, wanted: Wanted, left: Count) -> bytes:
    return _joined([f for f in batch.events if wanted.takes(f) and left.take()])
