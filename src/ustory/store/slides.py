"""Slides, ranges of intake numbers that are opened, closed and done, and digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, func, select, update

from ustory.core.errors import StateError
from ustory.store.columns import canonical
from ustory.store.edits import take_in_edits
from ustory.store.mapping import add, load_all, load_one, next_number, values
from ustory.store.tables import (
    SlideRow,
    articles,
    decisions,
    edits,
    events,
    revisions,
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


def slide(connection: Connection, number: int) -> SlideRow | None:
    """Return a slide by its number."""
    return load_one(
        connection, select(slides).where(slides.c.number == number), SlideRow
    )


def open_slide(connection: Connection) -> SlideRow | None:
    """Return the slide that takes articles in, None before the first."""
    query = select(slides).where(slides.c.status == "open")
    return load_one(connection, query.order_by(slides.c.number), SlideRow)


def start_slide(
    connection: Connection, start: datetime, end: datetime, first_seq: int
) -> SlideRow:
    """Open the next slide and return it; there must be no open one."""
    current = open_slide(connection)
    if current is not None:
        raise StateError(
            f"one slide is open at a time; slide {current.number} still is: close it "
            "before the next is started"
        )
    number = next_number(connection, slides.c.number)
    row = SlideRow(number=number, start=start, end=end, first_seq=first_seq)
    add(connection, slides, [values(row)])
    return row


def close_slide(connection: Connection, number: int, last_seq: int) -> None:
    """Close a slide: `last_seq` is the number of its last article."""
    change = {"status": "closed", "last_seq": last_seq}
    _change(connection, number, "open", change)
    take_in_edits(connection, number)


def next_closed(connection: Connection) -> SlideRow | None:
    """Return the lowest slide that is closed and not done."""
    query = select(slides).where(slides.c.status == "closed")
    return load_one(connection, query.order_by(slides.c.number), SlideRow)


def last_done(connection: Connection) -> SlideRow | None:
    """Return the newest slide that is done."""
    query = select(slides).where(slides.c.status == "done")
    return load_one(connection, query.order_by(slides.c.number.desc()), SlideRow)


def finish_slide(
    connection: Connection,
    number: int,
    *,
    done_at: datetime,
    stories: int = 0,
    seconds: Mapping[str, float] | None = None,
) -> str:
    """Mark a closed slide as done and return the digest of what it decided.

    It comes last, after the decisions and events. Its articles wait no more.
    """
    digest = slide_digest(connection, number)
    here = articles.c.slide == number
    found = connection.execute(select(func.count()).where(here)).scalar_one()
    change = {
        "status": "done",
        "done_at": done_at,
        "articles": found,
        "stories": stories,
        "seconds": dict(seconds or {}),
        "digest": digest,
    }
    _change(connection, number, "closed", change)
    connection.execute(update(articles).where(here).values(waiting=False))
    return digest


def recent_slides(
    connection: Connection, limit: int = 20, before: int | None = None
) -> list[SlideRow]:
    """Return the newest slides (those below `before`), newest first."""
    query = select(slides).order_by(slides.c.number.desc()).limit(limit)
    if before is not None:
        query = query.where(slides.c.number < before)
    return load_all(connection, query, SlideRow)


def done_after(connection: Connection, number: int, limit: int) -> list[SlideRow]:
    """Return the next slides after a number that are done, in order."""
    query = select(slides).where(slides.c.status == "done", slides.c.number > number)
    ordered = query.order_by(slides.c.number).limit(limit)
    return load_all(connection, ordered, SlideRow)


def count_done_after(connection: Connection, number: int) -> int:
    """Return how many slides after a number are done."""
    done = (slides.c.status == "done") & (slides.c.number > number)
    counted = select(func.count()).select_from(slides).where(done)
    return int(connection.execute(counted).scalar_one())


def last_done_before(connection: Connection, moment: datetime) -> int:
    """Return the last slide that was over and done by a time; 0 if there is none."""
    over = (slides.c.end <= moment) & (slides.c.status == "done")
    found = connection.execute(select(func.max(slides.c.number)).where(over))
    return int(found.scalar_one() or 0)


def last_busy_end(connection: Connection) -> datetime | None:
    """Return the end of the last slide that has any article."""
    query = select(slides.c.end).where(slides.c.last_seq >= slides.c.first_seq)
    newest = query.order_by(slides.c.number.desc()).limit(1)
    found: datetime | None = connection.execute(newest).scalar()
    return found


def slides_behind(connection: Connection) -> int:
    """Return how many slides are closed and not done."""
    query = select(func.count()).where(slides.c.status == "closed")
    return int(connection.execute(query).scalar_one())


def waiting_articles(connection: Connection) -> int:
    """Return how many texts were taken in and are in no slide that is done."""
    done = last_done(connection)
    slid = 0 if done is None or done.last_seq is None else done.last_seq
    highest = connection.execute(select(func.max(revisions.c.seq))).scalar_one()
    return max(0, (highest or 0) - slid)


def _change(
    connection: Connection, number: int, status: str, change: Mapping[str, object]
) -> None:
    here = (slides.c.number == number) & (slides.c.status == status)
    if connection.execute(update(slides).where(here).values(**change)).rowcount != 1:
        raise StateError(
            f"slide {number} is not {status}, so it cannot become {change['status']}; "
            "another process may have changed it"
        )
