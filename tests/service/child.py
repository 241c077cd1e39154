"""A live service as a process of its own, to be killed at any moment.

`python -m tests.service.child URL STREAM` reads a stream to its end. Without arguments
it waits for requests on standard input, one JSON list of these two a line, and forks
a process for each: it has imported everything and done nothing, which saves seconds.

USTORY_TEST_DIE names a commit at which the process kills itself: `before:1` is before
its first transaction that writes is committed, `after:2` when the second has been.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from threading import Event as Signal
from threading import Thread, local
from typing import Any

from sqlalchemy import Connection, event

from tests.service.running import DAILY, DAY, demo_articles, pipeline
from ustory.core.protocols import Arrival, Source
from ustory.service.claim import claimed
from ustory.service.clock import StreamClock
from ustory.service.intake import Intake
from ustory.service.loop import Loop
from ustory.service.pump import BATCH, Pump
from ustory.service.slide_runner import SlideRunner, Task
from ustory.service.writing import Draft
from ustory.sources.open import open_source
from ustory.store import Store
from ustory.testing import TinyEncoder

DIE = "USTORY_TEST_DIE"
GAP = "USTORY_TEST_GAP"
"""Seconds between two articles of the stream."""


class Slow:
    """A source that takes its time, so that it comes in many batches.

    Without a gap it reads ahead instead, and comes in batches as large as can be.
    """

    def __init__(self, source: Source, gap: float) -> None:
        self._source = source
        self._gap = gap
        self.name = source.name

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield what the source gives, with pauses."""
        arrivals = self._source.read(after)
        while ahead := list(islice(arrivals, 1 if self._gap else 4 * BATCH)):
            time.sleep(self._gap)
            yield from ahead


def serve(url: str, stream: str) -> None:
    """Read a stream into a database, tell its slides, and end when all is told."""
    store = Store.open(url)
    dying(store, os.environ.get(DIE, ""))
    with claimed(store):
        clock = StreamClock()
        loop = Loop(store, DAILY, TinyEncoder(), clock, pipeline=pipeline())
        loop.start()
        loop.on_done = lambda row: say(f"slide {row.number}")
        intake = Intake(store, loop.calendar, clock)
        intake.after_commit = lambda receipts: say(f"batch {len(receipts)}")
        say("started")
        stop = Signal()
        thread = Thread(target=loop.run, args=(stop, 0.01))
        thread.start()
        pump = Pump(intake, store, loop.problems)
        pump.add(Slow(open_source(stream), float(os.environ.get(GAP, "0"))))
        pump.wait()
        stop.set()
        thread.join()
        loop.finish()
    store.close()
    say("finished")


def say(line: str) -> None:
    """Tell whoever started us how far we are."""
    os.write(1, f"{line}\n".encode())


def dying(store: Store, moment: str) -> None:
    """Kill this process at a commit."""
    if not moment:
        return
    when, _, number = moment.partition(":")
    dialect: Any = store.engine.dialect
    commit: Callable[[Any], None] = dialect.do_commit
    here = local()
    left = int(number)

    def writes(connection: Connection) -> None:
        here.writes = connection.get_execution_options().get("ustory_write", False)

    def do_commit(connection: Any) -> None:  # noqa: ANN401 - a driver's own
        nonlocal left
        left -= bool(here.writes)
        if left == 0 and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        commit(connection)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(store.engine, "commit", writes)
    dialect.do_commit = do_commit


def warm_up() -> None:
    """Have everything compiled before the first fork."""
    runner = SlideRunner(DAILY, TinyEncoder(), pipeline())
    state = runner.engine.begin()
    for number in (1, 2):
        some = demo_articles()[12 * number - 12 : 12 * number]
        end = some[-1].published_at
        task = Task(number=number, end=end.replace(hour=0) + DAY, articles=some)
        told = runner.run(state, task)
        Draft.of(told, DAILY)
        state = runner.engine.thaw(runner.engine.freeze(told.after))


def wait_for_requests() -> None:
    """Fork a process for each request, and say how it ended."""
    warm_up()
    say("ready")
    for line in sys.stdin:
        url, stream, environment = json.loads(line)
        process = os.fork()
        if not process:
            os.environ.update(environment)
            try:
                serve(url, stream)
            finally:
                os._exit(0 if sys.exc_info()[0] is None else 1)
        say(f"process {process}")
        say(f"ended {os.waitpid(process, 0)[1]}")


if __name__ == "__main__":
    if sys.argv[1:]:
        serve(*sys.argv[1:])
    else:
        wait_for_requests()
