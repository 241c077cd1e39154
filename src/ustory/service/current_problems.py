"""What is wrong just now, in words: kept in memory, and in the store when it can."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from datetime import datetime
from threading import Lock

from ustory.core.errors import UStoryError
from ustory.engine.poison import STOPS
from ustory.service.backpressure import Full
from ustory.store import Store, Unavailable
from ustory.store.problems import KEEP, add_problem

_log = logging.getLogger(__name__)


class Troubles:
    """The last trouble of each part of the service. Mutable, for any thread.

    Nothing is written before `flush`: whoever meets a trouble may be in the middle
    of a transaction, and where the store is the trouble it must be over first.
    """

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._lock = Lock()
        self._now: dict[str, str] = {}
        self._told: deque[tuple[datetime, str, str, str]] = deque(maxlen=KEEP)

    def note(self, origin: str, kind: str, message: str) -> None:
        """Take note of a trouble that goes on until `over`; repeated, it is one."""
        with self._lock:
            known = self._now.get(origin)
            self._now[origin] = message
        if known != message:
            self.tell(origin, kind, message)

    def tell(self, origin: str, kind: str, message: str) -> None:
        """Take note of a problem that does not go on: a bad record, for example."""
        extra = {"origin": origin, "kind": kind}
        _log.warning("%s: %s", origin, message, extra=extra)
        with self._lock:
            self._told.append((self._clock(), origin, kind, message))

    def over(self, origin: str) -> None:
        """Say that `origin` works again."""
        with self._lock:
            gone = self._now.pop(origin, None)
        if gone is not None:
            _log.info("%s works again", origin, extra={"origin": origin})

    def now(self) -> dict[str, str]:
        """Return what is wrong now, by origin."""
        with self._lock:
            return dict(self._now)

    def flush(self) -> None:
        """Write what was noted into the store, unless it cannot be written to."""
        with self._lock:
            told = list(self._told)
        if not told:
            return
        try:
            with self._store.write() as connection:
                for at, origin, kind, message in told:
                    add_problem(connection, at, origin, kind, message)
        except Unavailable:
            return
        with self._lock:
            for _ in range(min(len(told), len(self._told))):
                self._told.popleft()


def failure_of(*steps: Callable[[], object]) -> BaseException | None:
    """Do all steps, whichever fails; return the first error, None where none fails.

    A panic is an error, too: it must not end a thread that nobody watches. What asks
    the program to end goes through.
    """
    first: BaseException | None = None
    for step in steps:
        try:
            step()
        except STOPS:
            raise
        except BaseException as error:  # noqa: BLE001 - a panic is no Exception
            first = first or error
    return first


def kind_of(error: BaseException) -> str:
    """Return the kind of a trouble, as the store's problems name it."""
    if isinstance(error, Unavailable):
        return f"database-{error.reason}"
    if isinstance(error, Full):
        return "full"
    return "refused" if isinstance(error, UStoryError) else "bug"


def words_of(error: BaseException) -> str:
    """Return a trouble in words; what is no error of ours by its type as well."""
    if isinstance(error, UStoryError):
        return str(error)
    return f"an unforeseen error, {type(error).__name__}: {error}"
