"""Texts that came for articles after their slides, and the slides that read them."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, func, select

from ustory.store.mapping import chunks, load_all
from ustory.store.tables import ArticleRow, RevisionRow, articles, revisions, slides

MAX_CORRECTING_SLIDES = 20
"""Slides after its own that read a new text of an article: a page that changes all day
long would else keep hundreds of texts."""


def corrections_of_slide(
    connection: Connection, slide: int
) -> list[tuple[ArticleRow, RevisionRow]]:
    """Return the articles of earlier slides that changed in one, by id.

    Each with the newest text that came in by the end of the slide.
    """
    here = select(slides.c.first_seq, slides.c.last_seq).where(slides.c.number == slide)
    span = connection.execute(here).one_or_none()
    if span is None or span.last_seq is None or span.last_seq < span.first_seq:
        return []
    came = (
        select(revisions)
        .join(articles, articles.c.id == revisions.c.article)
        .where(revisions.c.seq >= span.first_seq, revisions.c.seq <= span.last_seq)
        .where(revisions.c.number > 1, articles.c.slide < slide)
        .order_by(revisions.c.number)
    )
    newest = {text.article: text for text in load_all(connection, came, RevisionRow)}
    rows: dict[str, ArticleRow] = {}
    for some in chunks(newest):
        query = select(articles).where(articles.c.id.in_(some))
        rows |= {row.id: row for row in load_all(connection, query, ArticleRow)}
    read = {name: text_numbers(connection, name) for name in newest}
    return [
        (rows[name], text)
        for name, text in sorted(newest.items())
        if text.number in read[name]
    ]


def text_numbers(connection: Connection, article: str) -> Collection[int]:
    """Return the texts of an article that slides read, by number.

    Its own slide reads the newest that had come by its end, and so does each of the
    first later slides in which there was a new one.
    """
    own = revisions.c.article == article
    query = (
        select(func.max(revisions.c.number).label("number"))
        .join(articles, articles.c.id == revisions.c.article)
        .where(own, revisions.c.slide > articles.c.slide)
        .group_by(revisions.c.slide)
        .order_by(revisions.c.slide)
        .limit(MAX_CORRECTING_SLIDES)
    )
    first = (
        select(func.max(revisions.c.number))
        .join(articles, articles.c.id == revisions.c.article)
        .where(own, revisions.c.slide <= articles.c.slide)
    )
    return {
        *connection.execute(query).scalars(),
        connection.execute(first).scalar() or 0,
    }
