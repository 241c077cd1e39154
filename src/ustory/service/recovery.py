"""Slides of the archive as the engine reads them, to compute them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from ustory.core.article import Article
from ustory.core.edit import Edit
from ustory.core.errors import StateError
from ustory.engine.state import State
from ustory.service.claimed_dates import BACKDATED
from ustory.service.clock import Clock
from ustory.service.slide_runner import Task
from ustory.sources.origins import reporter
from ustory.store import Store
from ustory.store import slides as slide_store
from ustory.store.articles import left_out, newest_publication, texts_of_slide
from ustory.store.corrections import corrections_of_slide
from ustory.store.edits import edits_of_slide
from ustory.store.languages import said_language
from ustory.store.tables import ArticleRow, RevisionRow, SlideRow

FORMAT = 1
"""The format of snapshots: the engine's frozen state, which has its own version."""


@dataclass(frozen=True, slots=True)
class Point:
    """The engine after a slide that is done; slide 0 is before the first."""

    state: State
    slide: int = 0
    epoch: int = 0
    """The number of its epoch."""


def done_after(store: Store, number: int, batch: int = 500) -> Iterator[SlideRow]:
    """Yield the slides after one that are done, in order."""
    while True:
        with store.read() as connection:
            rows = slide_store.done_after(connection, number, batch)
        yield from rows
        if len(rows) < batch:
            return
        number = rows[-1].number


def task_of(store: Store, row: SlideRow) -> Task:
    """Return a slide with its articles, as they were when it was closed."""
    with store.read() as connection:
        pairs = texts_of_slide(connection, row.number)
        aside = left_out(connection, row.number)
        edits = edits_of_slide(connection, row.number)
        again = corrections_of_slide(connection, row.number)
    if row.status == "done" and len(pairs) != row.articles:
        raise StateError(
            f"of the {row.articles} articles of slide {row.number} {len(pairs)} are "
            "left, so it cannot be computed again; retention removed the others"
        )
    return make_task(row, (pairs, again), aside, edits)


Texts: TypeAlias = Sequence[tuple[ArticleRow, RevisionRow]]
"""Articles, each with the text that a slide reads."""


def make_task(
    row: SlideRow, texts: tuple[Texts, Texts], aside: Set[str], edits: Sequence[Edit]
) -> Task:
    """Return a slide with all its articles but those that are set aside.

    `texts` are those of its own articles, and new ones of articles of earlier slides.
    """
    pairs, again = texts
    return Task(
        number=row.number,
        end=row.end,
        articles=tuple(to_article(*pair) for pair in pairs if pair[0].id not in aside),
        edits=tuple(edits),
        corrections=tuple(to_article(*pair) for pair in again),
        aside=tuple(article.id for article, _ in pairs if article.id in aside),
    )


def to_article(row: ArticleRow, text: RevisionRow) -> Article:
    """Return an article for the engine, dated by the date that counts."""
    if text.text is None:
        raise StateError(
            f"the text of article {row.id!r} was removed by retention, so slide "
            f"{row.slide} cannot be computed again"
        )
    return Article(
        id=row.id,
        published_at=row.published_at,
        title=text.title,
        text=text.text,
        url=row.url,
        lang=said_language(row),
        fetched_at=row.fetched_at,
        source=reporter(row.source, row.origin),
        authors=row.authors,
        doubtful=row.date_flag == BACKDATED,
    )


def set_clock(store: Store, clock: Clock) -> None:
    """Set a clock to the newest date of the stream in the database."""
    with store.read() as connection:
        newest = newest_publication(connection)
    if newest is not None:
        clock.reached(newest)
