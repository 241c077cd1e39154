"""One service a database: claimed at the start, given up with the process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from ustory.core.errors import StateError
from ustory.store import Store, Unavailable

PATIENCE = 15.0
"""Seconds for which a server may hold the claim of a process that was killed."""

_PAUSE = 0.1


@contextmanager
def claimed(
    store: Store,
    patience: float = PATIENCE,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Hold the database's one claim; StateError where another service holds it.

    A PostgreSQL server notices that a process was killed when it has done what that
    asked for last, so a service that is started again at once has to wait a little.
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
        yield
