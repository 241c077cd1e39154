"""Stories computed again with today's method, while the old ones are served."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from ustory.core.errors import StateError
from ustory.service.correct import Corrected, adopt
from ustory.service.recompute import Progress, Recomputation, Start
from ustory.service.recovery import Point
from ustory.service.resume import keep_state
from ustory.service.slide_runner import SlideRunner
from ustory.store import Store
from ustory.store.epochs import RETOLD, epoch_number
from ustory.store.side import side_store
from ustory.store.slides import last_done, last_done_before

_MAX_MAX_ROUNDS = 1000
"""Attempts to catch up with a service that finishes slides meanwhile."""


def slide_before(store: Store, since: datetime | None) -> int:
    """Return the last slide that had ended at a time; 0 is before the first."""
    if since is None:
        return 0
    with store.read() as connection:
        return last_done_before(connection, since)


def retell(
    store: Store,
    runner: SlideRunner,
    now: Callable[[], datetime],
    *,
    after: int = 0,
    progress: Progress | None = None,
) -> Corrected | None:
    """Compute the slides after one again, from the stored texts.

    This is done in a separate database beside the archive, from an empty state;
    articles of earlier slides keep their stories. At the end one transaction
    replaces the old stories. A service may run meanwhile: slides that it finishes
    are computed here too, and after the transaction it continues from the new
    state. Returns None if there is no slide to compute.
    """
    with store.read() as connection:
        epoch = epoch_number(connection)
    start = Start(state=runner.engine.begin(), slide=after, continued=False)
    with side_store(store) as side:
        again = Recomputation(store, side, runner, start)
        if not again.catch_up(progress):
            return None
        for _ in range(_MAX_MAX_ROUNDS):
            with store.write() as connection:
                last = last_done(connection)
                if last is not None and last.number == again.last:
                    if epoch_number(connection) != epoch:
                        raise _changed(store)
                    at = now()
                    done = adopt(connection, again, slide=last, at=at, reason=RETOLD)
                    point = Point(done.state, last.number, done.epoch.number)
                    keep_state(connection, runner, point, at)
                    return done
            again.catch_up(progress)
    raise StateError(
        f"the service on {store.url} finishes slides faster than they can be computed "
        "again; stop it, run `ustory db retell` once more, and start it again"
    )


def _changed(store: Store) -> StateError:
    return StateError(
        f"articles of {store.url} were withdrawn, or its stories computed again, in "
        "the meantime; nothing was changed: run `ustory db retell` once more"
    )
