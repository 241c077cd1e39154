"""Edits wait for a slide to close, and are part of what it says from then on."""

from __future__ import annotations

from datetime import UTC, datetime

from ustory.core.edit import Edit
from ustory.store import Store
from ustory.store.edits import add_edits, edits_of_slide
from ustory.store.slides import close_slide, slide_digest, start_slide

_DAY = datetime(2024, 3, 5, tzinfo=UTC)


def _edit(number: int) -> Edit:
    return Edit(
        number=number,
        kind="merge",
        target="s000001",
        payload={"into": "s000002"},
        by="ada",
        at=_DAY,
        why="one trial",
    )


def test_a_slide_that_closes_takes_in_the_edits_that_wait(store: Store) -> None:
    with store.write() as connection:
        first = start_slide(connection, _DAY, _DAY.replace(day=6), 1).number
        add_edits(connection, [_edit(2), _edit(1)])
        assert edits_of_slide(connection, first) == ()
        close_slide(connection, first, 0)
        second = start_slide(connection, _DAY.replace(day=6), _DAY.replace(day=7), 1)
        add_edits(connection, [_edit(3)])
        close_slide(connection, second.number, 0)

    with store.read() as connection:
        assert edits_of_slide(connection, first) == (_edit(1), _edit(2))
        assert edits_of_slide(connection, second.number) == (_edit(3),)


def test_the_digest_of_a_slide_covers_its_edits(store: Store) -> None:
    with store.write() as connection:
        slide = start_slide(connection, _DAY, _DAY.replace(day=6), 1).number
        without = slide_digest(connection, slide)
        add_edits(connection, [_edit(1)])
        assert slide_digest(connection, slide) == without
        close_slide(connection, slide, 0)
        assert slide_digest(connection, slide) != without
