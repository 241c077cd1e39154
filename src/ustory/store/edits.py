"""Edits, and the slides that take them in."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select, update

from ustory.core.edit import Edit
from ustory.store.mapping import add, load_all, values
from ustory.store.tables import edits


def add_edits(connection: Connection, new: Sequence[Edit]) -> None:
    """Write edits that no slide has taken in yet."""
    add(connection, edits, [values(edit) for edit in new])


def take_in_edits(connection: Connection, slide: int) -> None:
    """Make the waiting edits part of a slide, which closes."""
    waiting = edits.c.slide.is_(None)
    connection.execute(update(edits).where(waiting).values(slide=slide))


def edits_of_slide(connection: Connection, slide: int) -> tuple[Edit, ...]:
    """Return the edits that a slide took in, in order of number."""
    columns = [column for column in edits.c if column.name != "slide"]
    query = select(*columns).where(edits.c.slide == slide)
    return tuple(load_all(connection, query.order_by(edits.c.number), Edit))
