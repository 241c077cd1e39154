"""One number for all that was found out: equal runs have equal digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Column, Connection, select

from ustory.store.columns import canonical
from ustory.store.tables import (
    articles,
    decisions,
    edits,
    events,
    slides,
    stories,
    story_days,
    story_keywords,
    story_sources,
)

# what depends on when a run was made, and not on what it read, is left out
CONTENT: tuple[tuple[Sequence[Column[Any]], Sequence[Column[Any]]], ...] = (
    ([*(c for c in stories.c if c.name != "number")], [stories.c.id]),
    ([*story_days.c], [story_days.c.story, story_days.c.day]),
    ([*story_keywords.primary_key], [*story_keywords.primary_key]),
    ([*story_sources.primary_key], [*story_sources.primary_key]),
    (
        [articles.c[n] for n in ("id", "story", "how", "confidence", "copy_of")],
        [articles.c.id],
    ),
    ([*decisions.c], [decisions.c.article, decisions.c.slide]),
    ([*events.c], [events.c.id]),
)


def digest(connection: Connection) -> str:
    """Return the SHA-256 of all stories, assignments, decisions and events.

    The same on SQLite and PostgreSQL, and however often the run was interrupted.
    """
    whole = hashlib.sha256()
    for columns, order in CONTENT:
        whole.update(f"{columns[0].table}\n".encode())
        query = select(*columns).order_by(*order)
        _take(whole, connection.execute(query, execution_options={"yield_per": 1000}))
    return whole.hexdigest()


def slide_digest(connection: Connection, number: int) -> str:
    """Return the SHA-256 of a slide's edits and decisions, chained to the slide before.

    It costs what the slide has, says at which slide two runs part, and can be checked
    as long as none of its articles was forgotten.
    """
    before = select(slides.c.digest).where(slides.c.number == number - 1)
    whole = hashlib.sha256(
        str(connection.execute(before).scalar_one_or_none() or "").encode()
    )
    edited = select(edits).where(edits.c.slide == number)
    decided = select(decisions).where(decisions.c.slide == number)
    # an event of the whole archive is of no story, and of no slide either
    told = select(events).where(events.c.slide == number, events.c.story != "")
    _take(whole, connection.execute(edited.order_by(edits.c.number)))
    _take(whole, connection.execute(decided.order_by(decisions.c.article)))
    _take(whole, connection.execute(told.order_by(events.c.id)))
    return whole.hexdigest()


def _take(whole: Any, rows: Iterable[Any]) -> None:  # noqa: ANN401 - hashlib names no type
    for row in rows:
        plain = [str(v) if hasattr(v, "tzinfo") else v for v in row]
        whole.update(canonical(plain).encode() + b"\n")
