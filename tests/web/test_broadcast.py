"""One reader serves all listeners; none misses an event, none hears one twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from ustory.web import broadcast
from ustory.web.broadcast import HEARTBEAT, Broadcaster, EncodedEvent, Pace, Wanted


class Paper:
    """A ledger in memory that counts how often it is read."""

    def __init__(self, events: int = 0) -> None:
        self.frames = [_frame(n + 1) for n in range(events)]
        self.reads = 0
        self.broken = False

    def write(self, events: int = 1) -> None:
        """Add events."""
        first = len(self.frames) + 1
        self.frames += [_frame(n) for n in range(first, first + events)]

    def after(
        self,
        event: int,
        limit: int,
        story: str | None = None,
        kinds: Collection[str] = (),
    ) -> Sequence[EncodedEvent]:
        """Return the events behind one."""
        self.reads += 1
        if self.broken:
            raise OSError("away")
        wanted = Wanted(story=story, kinds=frozenset(kinds))
        behind = (f for f in self.frames if f.id > event and wanted.takes(f))
        return list(behind)[:limit]

    def last(self) -> int:
        """Return the newest."""
        return len(self.frames)


def _frame(number: int) -> EncodedEvent:
    kind = "born" if number % 2 else "grew"
    return EncodedEvent(number, kind, f"s{number % 3}", b"%d\n" % number)


Play = Callable[[Broadcaster, Paper], Awaitable[None]]


def _play(play: Play, paper: Paper, pace: Pace | None = None) -> None:
    async def run() -> None:
        caster = Broadcaster(paper, pace or Pace(poll=0.005, rest=0.0, heartbeat=5.0))
        await caster.start()
        try:
            await asyncio.wait_for(play(caster, paper), 20)
        finally:
            await caster.stop()

    asyncio.run(run())


async def _heard(caster: Broadcaster, wanted: Wanted, delay: float = 0.0) -> list[int]:
    """Listen to the end; return the numbers that were heard."""
    numbers: list[int] = []
    async for part in caster.stream(wanted):
        if part[:1].isdigit():
            numbers += map(int, part.split())
        if delay:
            await asyncio.sleep(delay)
    return numbers


def test_a_listener_hears_what_it_missed_and_then_what_comes() -> None:
    async def play(caster: Broadcaster, paper: Paper) -> None:
        listener = asyncio.create_task(_heard(caster, Wanted(after=2, limit=5)))
        await asyncio.sleep(0.05)
        paper.write(10)
        assert await listener == [3, 4, 5, 6, 7]

    _play(play, Paper(4))


def test_without_a_position_a_listener_hears_only_what_is_new() -> None:
    async def play(caster: Broadcaster, paper: Paper) -> None:
        listener = asyncio.create_task(_heard(caster, Wanted(limit=1)))
        await asyncio.sleep(0.05)
        paper.write()
        assert await listener == [5]

    _play(play, Paper(4))


def test_a_position_from_another_ledger_is_taken_for_the_end() -> None:
    async def play(caster: Broadcaster, paper: Paper) -> None:
        listener = asyncio.create_task(_heard(caster, Wanted(after=99, limit=1)))
        await asyncio.sleep(0.05)
        paper.write()
        assert await listener == [5]

    _play(play, Paper(4))


def test_a_listener_may_ask_for_one_story_or_some_kinds() -> None:
    async def play(caster: Broadcaster, paper: Paper) -> None:
        del paper
        story = Wanted(after=0, limit=2, story="s0")
        kinds = Wanted(after=0, limit=2, kinds=frozenset({"grew"}))
        assert await _heard(caster, story) == [3, 6]
        assert await _heard(caster, kinds) == [2, 4]

    _play(play, Paper(8))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 700), min_size=1, max_size=5), st.integers(0, 3))
def test_slow_and_quick_listeners_hear_every_event_once_and_in_order(
    bursts: list[int], start: int
) -> None:
    total = 3 + sum(bursts)

    async def play(caster: Broadcaster, paper: Paper) -> None:
        wanted = Wanted(after=start, limit=total - start)
        listeners = [
            asyncio.create_task(_heard(caster, wanted, delay))
            for delay in (0.0, 0.003, 0.02)
        ]
        for burst in bursts:
            await asyncio.sleep(0.004)
            paper.write(burst)
        for heard in await asyncio.gather(*listeners):
            assert heard == list(range(start + 1, total + 1))

    _play(play, Paper(3))


def test_who_is_far_behind_reads_the_store_and_not_the_memory() -> None:
    many = broadcast.MAX_RECENT_EVENTS + 600

    async def play(caster: Broadcaster, paper: Paper) -> None:
        paper.write(many)
        await asyncio.sleep(0.2)
        assert await _heard(caster, Wanted(after=0, limit=many)) == [
            *range(1, many + 1)
        ]

    _play(play, Paper())


def test_200_listeners_are_one_reader_of_the_store() -> None:
    async def play(caster: Broadcaster, paper: Paper) -> None:
        listeners = [
            asyncio.create_task(_heard(caster, Wanted(limit=20))) for _ in range(200)
        ]
        await asyncio.sleep(0.05)
        paper.reads = 0
        for _ in range(20):
            paper.write()
            caster.nudge()
            await asyncio.sleep(0.01)
        heard = await asyncio.gather(*listeners)
        assert all(each == list(range(1, 21)) for each in heard)
        assert paper.reads < 200

    _play(play, Paper())


def test_silence_is_broken_by_heartbeats() -> None:
    async def play(caster: Broadcaster, paper: Paper) -> None:
        del paper
        stream = caster.stream(Wanted())
        parts = [await anext(stream) for _ in range(3)]
        assert parts[1:] == [HEARTBEAT, HEARTBEAT]

    _play(play, Paper(), Pace(poll=0.01, heartbeat=0.01))


def test_a_stream_that_may_last_a_moment_ends_after_it() -> None:
    async def play(caster: Broadcaster, paper: Paper) -> None:
        del paper
        assert await _heard(caster, Wanted(after=0)) == [1, 2]

    _play(play, Paper(2), Pace(poll=0.01, heartbeat=5.0, stream=0.05))


def test_closing_ends_every_stream_at_once() -> None:
    async def play(caster: Broadcaster, paper: Paper) -> None:
        del paper
        listeners = [asyncio.create_task(_heard(caster, Wanted())) for _ in range(5)]
        await asyncio.sleep(0.02)
        assert caster.listeners == 5
        caster.close()
        await asyncio.wait_for(asyncio.gather(*listeners), 1)
        assert caster.listeners == 0

    _play(play, Paper())


def test_the_reader_outlives_a_store_that_fails() -> None:
    async def play(caster: Broadcaster, paper: Paper) -> None:
        listener = asyncio.create_task(_heard(caster, Wanted(limit=1)))
        paper.broken = True
        await asyncio.sleep(0.05)
        paper.broken = False
        paper.write()
        assert await listener == [1]

    _play(play, Paper())


def test_slides_in_a_row_do_not_wake_listeners_one_by_one() -> None:
    async def play(caster: Broadcaster, paper: Paper) -> None:
        woken = 0

        async def listen() -> None:
            nonlocal woken
            async for part in caster.stream(Wanted()):
                woken += part[:1].isdigit()

        listener = asyncio.create_task(listen())
        await asyncio.sleep(0.05)
        for _ in range(30):
            paper.write()
            caster.nudge()
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        caster.close()
        await listener
        assert 2 <= woken <= 6

    _play(play, Paper(), Pace(poll=0.005, rest=0.2, heartbeat=5.0))


def test_who_asks_for_one_story_is_not_given_all_others_to_pass_over() -> None:
    many = 20_000

    async def play(caster: Broadcaster, paper: Paper) -> None:
        paper.reads = 0
        wanted = Wanted(after=0, limit=2, kinds=frozenset({"rare"}))
        listener = asyncio.create_task(_heard(caster, wanted))
        await asyncio.sleep(0.1)
        paper.frames.append(EncodedEvent(many + 1, "rare", "s1", b"%d\n" % (many + 1)))
        assert await listener == [7, many + 1]
        assert paper.reads < 60

    paper = Paper(many)
    paper.frames[6] = EncodedEvent(7, "rare", "s1", b"7\n")
    _play(play, paper)
