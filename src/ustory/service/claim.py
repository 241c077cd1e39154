"""One service per database: claimed at the start, released with the process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Event, Thread

from ustory.core.errors import StateError
from ustory.store import Store, Unavailable
from ustory.store.claim import ClaimLost
from ustory.store.side import remove_left_sides

PATIENCE = 15.0
"""Seconds for which a database server may keep the claim of a killed process."""

_PAUSE = 0.1
_LOOK = 2.0
"""Seconds between two checks of the claim."""


@dataclass
class HeldClaim:
    """The state of a claim. Mutable."""

    lost: str | None = None
    """Why another service has it now, in words."""

    def check(self) -> None:
        """Raise StateError if the claim was lost."""
        if self.lost is not None:
            raise StateError(self.lost)


@contextmanager
def watched(
    store: Store, lost: Callable[[], None], pause: float = _LOOK
) -> Iterator[HeldClaim]:
    """Check the claim of a store regularly; call `lost` once if another has it.

    If the database is unavailable, the claim is taken again when it is back.
    """
    stop, held = Event(), HeldClaim()

    def look() -> None:
        while not stop.wait(pause):
            try:
                store.assure()
            except ClaimLost as error:
                held.lost = str(error)
                lost()
                return
            except Unavailable:
                continue

    thread = Thread(target=look, name="ustory claim", daemon=True)
    thread.start()
    try:
        yield held
    finally:
        stop.set()
        thread.join()


@contextmanager
def claimed(
    store: Store,
    patience: float = PATIENCE,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Hold the claim of the database; StateError if another service holds it.

    A PostgreSQL server notices that a process was killed only after its last
    statement, so a service that is restarted at once has to wait a little. Files
    that killed processes left beside the database are removed.
    """
    with ExitStack() as stack:
        left = 0.0 if store.is_sqlite else patience
        while True:
            try:
                stack.enter_context(store.lock())
                break
            except Unavailable:
                raise
            except StateError:
                if left <= 0:
                    raise
                sleep(_PAUSE)
                left -= _PAUSE
        remove_left_sides(store)
        yield
