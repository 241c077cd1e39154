"""The engine's state after a slide: versioned, checksummed, the last few kept."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, select

from ustory.core.errors import StateError
from ustory.store.mapping import upsert
from ustory.store.tables import epochs, snapshots

KEEP = 3
"""How many snapshots are kept."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state after a slide, as bytes whose checksum was right."""

    slide: int
    bytes: bytes
    format: int = 1


def put(
    connection: Connection,
    slide: int,
    format: int,  # noqa: A002 - the column's name
    content: bytes,
    at: datetime,
) -> None:
    """Keep the state after a slide; the newest few stay, and that of the epoch."""
    row = {
        "slide": slide,
        "format": format,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": content,
        "made_at": at,
    }
    upsert(connection, snapshots, [row])
    old = snapshots.c.slide < min(latest(connection))
    begun = select(func.max(epochs.c.number)).scalar_subquery()
    first = select(epochs.c.slide).where(epochs.c.number == begun)
    connection.execute(delete(snapshots).where(old, snapshots.c.slide.not_in(first)))


def latest(connection: Connection) -> list[int]:
    """Return the newest slides there are snapshots of, newest first.

    What is needed to compute from these on is never forgotten. The snapshot that an
    epoch began with may be older.
    """
    return slides_kept(connection)[:KEEP]


def forget_all(connection: Connection) -> None:
    """Delete every snapshot."""
    connection.execute(delete(snapshots))


def forget(connection: Connection, slides: Collection[int]) -> None:
    """Delete the snapshots of some slides, which cannot be used."""
    connection.execute(delete(snapshots).where(snapshots.c.slide.in_(slides)))


def newest(connection: Connection) -> Snapshot | None:
    """Return the newest snapshot; a damaged one is refused in words."""
    slides = slides_kept(connection)
    if not slides:
        return None
    found = read(connection, slides[0])
    if found is None:
        raise StateError(
            f"the snapshot of slide {slides[0]} is damaged: its checksum is wrong; "
            "put a backup in its place with `ustory db restore`"
        )
    return found


def newest_good(connection: Connection) -> Snapshot | None:
    """Return the newest snapshot that is whole, None where there is none."""
    found = (read(connection, slide) for slide in slides_kept(connection))
    return next((one for one in found if one is not None), None)


def damaged(connection: Connection) -> list[int]:
    """Return the slides whose snapshots do not have the checksum they should."""
    kept = slides_kept(connection)
    return [slide for slide in kept if read(connection, slide) is None]


def slides_kept(connection: Connection) -> list[int]:
    """Return the slides there are snapshots of, newest first."""
    query = select(snapshots.c.slide).order_by(snapshots.c.slide.desc())
    return list(connection.execute(query).scalars())


def read(connection: Connection, slide: int) -> Snapshot | None:
    """Return the snapshot of a slide, None where its checksum is wrong."""
    query = select(snapshots).where(snapshots.c.slide == slide)
    row = connection.execute(query).one()
    content = bytes(row.bytes)
    if hashlib.sha256(content).hexdigest() != row.sha256:
        return None
    return Snapshot(row.slide, content, row.format)
