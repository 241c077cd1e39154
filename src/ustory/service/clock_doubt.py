"""A clock that may be wrong: what it said when a service started, and for how long."""

from __future__ import annotations

from datetime import datetime, timedelta

from ustory.core.errors import StateError
from ustory.service.clock import JUMP
from ustory.store import Store
from ustory.store.meta import get_meta, put_meta
from ustory.store.slides import recent_slides

FAR = timedelta(days=30)
"""After so long without a slide the clock may be wrong, or the service was off."""
DOUBT = timedelta(days=1)
"""So long after that nothing is let go of: somebody may find the clock wrong."""
_SINCE = "clock_doubtful_since"


def doubt_about(store: Store, now: datetime) -> str | None:
    """Return what is odd about a clock at the start, in words; None where nothing is.

    One that is behind the archive is refused. One that is far ahead is believed, but
    for a day: see `is_doubtful`.
    """
    with store.read() as connection:
        newest = recent_slides(connection, 1)
    if not newest:
        return None
    if now < newest[0].start - JUMP:
        raise StateError(
            f"the clock says {now:%Y-%m-%dT%H:%MZ}, but {store.url} has a "
            f"slide that began at {newest[0].start:%Y-%m-%dT%H:%MZ}; set the "
            "clock right, or, if it was wrong then and is right now, date the "
            "archive back with `ustory db repair --clock`"
        )
    if now <= newest[0].end + FAR:
        return None
    with store.write() as connection:
        put_meta(connection, _SINCE, now.isoformat())
    return (
        f"the clock says {now:%Y-%m-%dT%H:%MZ}, and the last slide ended at "
        f"{newest[0].end:%Y-%m-%dT%H:%MZ}: if the clock is wrong, set it "
        "right, and date the archive back with `ustory db repair --clock`"
    )


def is_doubtful(store: Store, now: datetime) -> bool:
    """Say whether the clock may be wrong: what is let go of does not come back."""
    with store.read() as connection:
        since = get_meta(connection, _SINCE)
    if since is None:
        return False
    passed = now - datetime.fromisoformat(since)
    return timedelta() <= passed < DOUBT
