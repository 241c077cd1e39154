"""Edits, and the slides that take them in."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select, update

from ustory.core.edit import Edit
from ustory.store.mapping import add, load_all, values
from ustory.store.tables import EditRow, edits


def add_edits(connection: Connection, new: Sequence[Edit]) -> None:
    """Write edits that no slide has taken in yet."""
    add(connection, edits, [values(_row(edit)) for edit in new])


def take_in_edits(connection: Connection, slide: int) -> None:
    """Make the waiting edits part of a slide, which closes."""
    waiting = edits.c.slide.is_(None)
    connection.execute(update(edits).where(waiting).values(slide=slide))


def edits_of_slide(connection: Connection, slide: int) -> tuple[Edit, ...]:
    """Return the edits that a slide took in, in order of number."""
    query = select(edits).where(edits.c.slide == slide).order_by(edits.c.number)
    return tuple(_edit(row) for row in load_all(connection, query, EditRow))


def _row(edit: Edit) -> EditRow:
    return EditRow(
        number=edit.number,
        kind=edit.kind,
        target=edit.target,
        by=edit.by,
        at=edit.at,
        payload=edit.payload,
        why=edit.why,
    )


def _edit(row: EditRow) -> Edit:
    return Edit(
        number=row.number,
        kind=row.kind,
        target=row.target,
        by=row.by,
        at=row.at,
        payload=row.payload,
        why=row.why,
    )
