"""Current problems of the service: kept in memory and written to the store."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from datetime import datetime
from threading import Lock

from ustory.core.errors import UStoryError
from ustory.engine.poison import STOP_REQUESTS
from ustory.service.backpressure import Full
from ustory.store import Store, Unavailable
from ustory.store.problems import KEEP, add_problem

_log = logging.getLogger(__name__)


class CurrentProblems:
    """The current problem of each part of the service. Mutable, for any thread.

    Nothing is written before `flush`: a problem may be found in the middle of a
    transaction, and if the store is the problem it has to work again first.
    """

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._lock = Lock()
        self._writing = Lock()
        self._now: dict[str, str] = {}
        self._unwritten: deque[tuple[datetime, str, str, str]] = deque(maxlen=KEEP)

    def begin(self, origin: str, kind: str, message: str) -> None:
        """Record a problem that lasts until `end`; repeated, it is recorded once."""
        with self._lock:
            known = self._now.get(origin)
            self._now[origin] = message
        if known != message:
            self.log(origin, kind, message)

    def log(self, origin: str, kind: str, message: str) -> None:
        """Record a problem that does not last, such as a bad record."""
        extra = {"origin": origin, "kind": kind}
        _log.warning("%s: %s", origin, message, extra=extra)
        with self._lock:
            self._unwritten.append((self._clock(), origin, kind, message))

    def end(self, origin: str) -> None:
        """Record that `origin` works again."""
        with self._lock:
            gone = self._now.pop(origin, None)
        if gone is not None:
            _log.info("%s works again", origin, extra={"origin": origin})

    def now(self) -> dict[str, str]:
        """Return the current problems, by origin."""
        with self._lock:
            return dict(self._now)

    def flush(self) -> None:
        """Write the recorded problems into the store, unless it is unavailable."""
        with self._writing:  # else two threads would write the same ones
            self._flush()

    def _flush(self) -> None:
        with self._lock:
            unwritten = list(self._unwritten)
        if not unwritten:
            return
        try:
            with self._store.write() as connection:
                for at, origin, kind, message in unwritten:
                    add_problem(connection, at, origin, kind, message)
        except Unavailable:
            return
        with self._lock:
            for _ in range(min(len(unwritten), len(self._unwritten))):
                self._unwritten.popleft()


def failure_of(*steps: Callable[[], object]) -> BaseException | None:
    """Run all steps even if some fail; return the first error, or None.

    A panic counts as an error: it must not end a thread that nobody watches.
    Exceptions that ask the program to end are raised.
    """
    first: BaseException | None = None
    for step in steps:
        try:
            step()
        except STOP_REQUESTS:
            raise
        except BaseException as error:  # noqa: BLE001 - a panic is no Exception
            first = first or error
    return first


def kind_of(error: BaseException) -> str:
    """Return the kind of a problem, as the store names it."""
    if isinstance(error, Unavailable):
        return f"database-{error.reason}"
    if isinstance(error, Full):
        return "full"
    return "refused" if isinstance(error, UStoryError) else "bug"


def words_of(error: BaseException) -> str:
    """Return the message of an error, with its type if it is not one of ours."""
    if isinstance(error, UStoryError):
        return str(error)
    return f"an unforeseen error, {type(error).__name__}: {error}"
