"""Sources pumped into the intake, each by a thread of its own, with their cursors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from queue import Empty, Full, Queue
from threading import Event as Signal
from threading import Thread

from ustory.core.backoff import Backoff
from ustory.core.protocols import Arrival, Source
from ustory.engine.poison import STOP_REQUESTS
from ustory.service import backpressure
from ustory.service.current_problems import (
    CurrentProblems,
    failure_of,
    kind_of,
    words_of,
)
from ustory.service.intake import Intake, Receipt
from ustory.store import Store, Unavailable
from ustory.store.feeds import get_cursor

BATCH = 64
"""Articles taken in at once, at most; whatever has come is never kept waiting."""

SOON = timedelta(seconds=1)
"""After which a live source that had nothing more is read again."""

_TICK = 0.2
_READ_AGAIN = Backoff(timedelta(seconds=1), timedelta(minutes=5))
_HAND_IN_AGAIN = Backoff(timedelta(seconds=1), timedelta(minutes=1))


class SourceThread:
    """One source and the thread that drives it. Mutable.

    A second thread reads ahead, so that articles are taken in while the source waits
    for more. After any failure it reads on from the cursor in the database; articles
    that come twice are recognised.
    """

    def __init__(
        self,
        source: Source,
        intake: Intake,
        store: Store,
        problems: CurrentProblems,
        every: timedelta | None = None,
    ) -> None:
        self.source = source
        self._intake = intake
        self._store = store
        self._problems = problems
        self._every = every
        self._pause_between = (every or SOON).total_seconds()
        self._took = 0
        self._stop = Signal()
        self._thread = Thread(target=self._run, name=f"pump {source.name}", daemon=True)
        self.done = Signal()
        """Set when a source that ends was read to its end, or was stopped."""
        self.rests = False
        """Whether it was read to its end, and once more without anything new."""

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Stop reading soon; a batch that is being taken in is finished."""
        self._stop.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the thread has ended."""
        self._thread.join(timeout)

    def _run(self) -> None:
        failures = 0
        name = self.source.name
        while not self._stop.is_set():
            self._took = 0
            failed = failure_of(self._read_once)
            ended = failed is None and self._every is None
            self.rests = ended or (failed is None and not self._took)
            if ended:
                break
            unwritten = failure_of(self._problems.flush)
            error = failed or unwritten
            if error is None:
                failures = 0
                self._problems.end(name)
                self._stop.wait(self._pause_between)
                continue
            self._problems.begin(name, kind_of(error), words_of(error))
            failures += 1
            self._stop.wait(_READ_AGAIN.seconds(failures))
        failure_of(self._problems.flush)
        self.done.set()

    def _read_once(self) -> None:
        """Read the source from its cursor to its end, or to the first failure."""
        with self._store.read() as connection:
            after = get_cursor(connection, self.source.name)
        reader = _ReadAhead(self.source, after)
        reader.start()
        try:
            self._drain(reader)
        finally:
            reader.close()

    def _drain(self, reader: _ReadAhead) -> None:
        over = False
        while not (over or self._stop.is_set()):
            batch, over = reader.take(BATCH)
            if batch:
                self.rests = False
                self._took += len(batch)
                self._take_in(batch)
                self._problems.end(self.source.name)
        if over and reader.error is not None:
            raise reader.error

    def _take_in(self, batch: Sequence[Arrival]) -> None:
        """Hand a batch in, as often as it takes."""
        failures = 0
        while not self._stop.is_set():
            try:
                self._accept(batch)
            except (backpressure.Full, Unavailable) as error:
                self._problems.begin(self.source.name, kind_of(error), words_of(error))
                failures += 1
                self._stop.wait(_HAND_IN_AGAIN.seconds(failures))
            else:
                return

    def _accept(self, batch: Sequence[Arrival]) -> None:
        articles = [arrival.article for arrival in batch]
        try:
            found = self._intake.accept(articles, self.source.name, batch[-1].cursor)
        except (backpressure.Full, Unavailable, *STOP_REQUESTS):
            raise
        except BaseException as error:  # noqa: BLE001 - reported, and the others are kept
            if len(batch) == 1:
                self._pass_over(batch[0], error)
                return
            for arrival in batch:  # one of them is poison: find it, keep the others
                self._accept([arrival])
        else:
            self._report_refused(found)

    def _pass_over(self, arrival: Arrival, error: BaseException) -> None:
        """Go on behind an article that cannot be taken in, and say so."""
        self._intake.accept([], self.source.name, arrival.cursor)
        said = f"article {arrival.article.id!r} was left out: {words_of(error)}"
        self._problems.log(self.source.name, kind_of(error), said)

    def _report_refused(self, receipts: Sequence[Receipt]) -> None:
        for receipt in receipts:
            if receipt.is_problem:
                said = f"article {receipt.article!r} was refused: {receipt.reason}"
                self._problems.log(self.source.name, "refused", said)


class _ReadAhead:
    """Reads a source ahead, in a thread that may hang where the source does."""

    def __init__(self, source: Source, after: str | None) -> None:
        self._source = source
        self._after = after
        self._closed = Signal()
        self._ahead: Queue[Arrival | None] = Queue(2 * BATCH)
        self.error: BaseException | None = None

    def start(self) -> None:
        Thread(target=self._read, name=f"read {self._source.name}", daemon=True).start()

    def close(self) -> None:
        """Let the thread end; what it has read ahead is forgotten."""
        self._closed.set()

    def take(self, most: int) -> tuple[list[Arrival], bool]:
        """Return what has come, after a short wait if nothing, and if it is all."""
        batch: list[Arrival] = []
        try:
            arrival = self._ahead.get(timeout=_TICK)
            while arrival is not None:
                batch.append(arrival)
                if len(batch) == most:
                    return batch, False
                arrival = self._ahead.get_nowait()
        except Empty:
            return batch, False
        return batch, True

    def _read(self) -> None:
        try:
            for arrival in self._source.read(self._after):
                if not self._put(arrival):
                    return
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            self.error = error
        self._put(None)

    def _put(self, arrival: Arrival | None) -> bool:
        while not self._closed.is_set():
            try:
                self._ahead.put(arrival, timeout=_TICK)
            except Full:
                continue
            return True
        return False


class Pump:
    """All sources of a service. Mutable; its methods are for one thread."""

    def __init__(self, intake: Intake, store: Store, problems: CurrentProblems) -> None:
        self._intake = intake
        self._store = store
        self._problems = problems
        self.threads: list[SourceThread] = []

    def add(self, source: Source, every: timedelta | None = None) -> SourceThread:
        """Begin to read a source; one that ends is read again every so often.

        A source whose `live` is true ends when it has nothing for now, and is read
        again soon.
        """
        if every is None and getattr(source, "live", False):
            every = SOON
        thread = SourceThread(source, self._intake, self._store, self._problems, every)
        self.threads.append(thread)
        thread.start()
        return thread

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the sources that end; return whether all have."""
        return all(thread.done.wait(timeout) for thread in self.threads)

    @property
    def rests(self) -> bool:
        """Whether every source was read to its end, and nothing new was there."""
        return all(thread.rests for thread in self.threads)

    def stop(self, timeout: float = 10.0) -> None:
        """Stop reading; what was not taken in is read again the next time."""
        for thread in self.threads:
            thread.stop()
        for thread in self.threads:
            thread.join(timeout)
