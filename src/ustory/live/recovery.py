"""Where a run goes on: the newest state that is whole, and the slides done since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import func, select

from ustory.core.article import Article
from ustory.core.errors import StateError
from ustory.engine.state import State
from ustory.live.again import differences
from ustory.live.clock import Clock
from ustory.live.origins import reporter
from ustory.live.telling import Task, Teller
from ustory.store import Store, snapshots
from ustory.store.articles import texts_of_slide
from ustory.store.mapping import load_all
from ustory.store.rows import ArticleRow, RevisionRow, SlideRow
from ustory.store.schema import articles, slides

FORMAT = 1
"""Of snapshots: the engine's frozen state, which says its own version inside."""


@dataclass(frozen=True, slots=True)
class Point:
    """The engine after a slide that is done; slide 0 is before the first."""

    state: State
    slide: int = 0


def recover(store: Store, teller: Teller) -> tuple[Point, list[str]]:
    """Return where to go on, and what was wrong with newer snapshots, in words.

    Slides that were done after the snapshot are told again in memory, from their
    stored ranges, and must come out as they were written: nothing in the database
    is changed. Without a snapshot that can be read all slides are told again.
    """
    point, problems = _snapshot_point(store, teller)
    for row in done_after(store, point.slide):
        told = teller.tell(point.state, task_of(store, row))
        if differences(store, told):
            raise StateError(
                f"slide {row.number} of {store.url} does not come out as it was "
                "written down: its articles were changed, or another version of "
                "ustory wrote it; put a backup in place with `ustory db restore`, or "
                "start anew with another database"
            )
        point = Point(told.after, row.number)
    return point, problems


def _snapshot_point(store: Store, teller: Teller) -> tuple[Point, list[str]]:
    problems: list[str] = []
    with store.read() as connection:
        bad = snapshots.damaged(connection)
        found = snapshots.newest_good(connection)
    problems += [f"the snapshot of slide {number} is damaged" for number in bad]
    if found is None:
        return Point(teller.engine.begin()), problems
    try:
        state = teller.engine.thaw(found.bytes)
    except StateError as error:
        problems.append(f"the snapshot of slide {found.slide} cannot be used: {error}")
        return Point(teller.engine.begin()), problems
    return Point(state, found.slide), problems


def done_after(store: Store, number: int, batch: int = 500) -> Iterator[SlideRow]:
    """Yield the slides that are done behind one, in order."""
    while True:
        with store.read() as connection:
            query = (
                select(slides)
                .where(slides.c.status == "done", slides.c.number > number)
                .order_by(slides.c.number)
                .limit(batch)
            )
            rows = load_all(connection, query, SlideRow)
        yield from rows
        if len(rows) < batch:
            return
        number = rows[-1].number


def task_of(store: Store, row: SlideRow) -> Task:
    """Return a slide with its articles, as they were when it was closed."""
    with store.read() as connection:
        pairs = texts_of_slide(connection, row.number)
    if row.status == "done" and len(pairs) != row.articles:
        raise StateError(
            f"of the {row.articles} articles of slide {row.number} {len(pairs)} are "
            "left, so it cannot be told again; retention let go of the others"
        )
    return Task(
        number=row.number,
        end=row.end,
        articles=tuple(to_article(article, text) for article, text in pairs),
    )


def to_article(row: ArticleRow, text: RevisionRow) -> Article:
    """Return an article as the engine takes it: with the date that counts."""
    if text.text is None:
        raise StateError(
            f"the text of article {row.id!r} was let go of, so slide {row.slide} "
            "cannot be told again"
        )
    return Article(
        id=row.id,
        published_at=row.published_at,
        title=text.title,
        text=text.text,
        url=row.url,
        lang=row.lang,
        fetched_at=row.fetched_at,
        source=reporter(row.source, row.origin),
        authors=row.authors,
    )


def set_clock(store: Store, clock: Clock) -> None:
    """Tell a clock how far the stream in the database has come."""
    with store.read() as connection:
        query = select(func.max(articles.c.published_at))
        newest = connection.execute(query).scalar_one()
    if newest is not None:
        clock.reached(newest)
