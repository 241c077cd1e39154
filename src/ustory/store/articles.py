"""Articles and their revisions, as they are taken in, read and set aside."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import (
    Column,
    Connection,
    delete,
    func,
    select,
    tuple_,
    update,
)

from ustory.store.corrections import text_numbers
from ustory.store.fulltext import Document
from ustory.store.mapping import (
    RowPage,
    add,
    chunks,
    decode_cursor,
    load_all,
    load_one,
    page_of,
    upsert,
    values,
)
from ustory.store.search_rows import (
    forget_unused_sources,
    index_articles,
    note_articles,
    unindex_articles,
)
from ustory.store.tables import (
    ArticleRow,
    AsideRow,
    RevisionRow,
    articles,
    revisions,
    set_aside,
    slides,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Articles that are there already, by what was asked for."""

    addresses: Mapping[str, ArticleRow] = field(default_factory=dict)
    fingerprints: Mapping[str, ArticleRow] = field(default_factory=dict)
    ids: Mapping[str, ArticleRow] = field(default_factory=dict)


def find_known(
    connection: Connection,
    addresses: Collection[str] = (),
    fingerprints: Collection[str] = (),
    ids: Collection[str] = (),
) -> Known:
    """Return the articles with these addresses, newest contents or ids.

    Where several have one content, the first that came in is meant.
    """
    return Known(
        addresses=_by(connection, articles.c.address, addresses),
        fingerprints=_by(connection, articles.c.fingerprint, fingerprints),
        ids=_by(connection, articles.c.id, ids),
    )


def next_seq(connection: Connection) -> int:
    """Return the next intake number; also forgotten ones are never given again."""
    highest = connection.execute(
        select(
            select(func.max(revisions.c.seq)).scalar_subquery(),
            select(func.max(slides.c.last_seq)).scalar_subquery(),
            select(func.max(slides.c.first_seq) - 1).scalar_subquery(),
        )
    ).one()
    return 1 + max(number or 0 for number in highest)


def insert_articles(connection: Connection, rows: Sequence[ArticleRow]) -> None:
    """Add articles; their first revisions go to `add_revisions` after it."""
    add(connection, articles, [values(row) for row in rows])
    note_articles(connection, [row.id for row in rows])


def add_revisions(connection: Connection, rows: Sequence[RevisionRow]) -> None:
    """Add texts of articles that are there, and let them be found.

    A revision with a number above 1 is an edit: its title and fingerprint become
    those of the article.
    """
    edits = [row for row in rows if row.number > 1]
    edited = [row.article for row in edits]
    unindex_articles(connection, searched(connection, edited))
    add(connection, revisions, [values(row) for row in rows])
    for row in edits:
        connection.execute(
            update(articles)
            .where(articles.c.id == row.article)
            .values(
                title=row.title,
                fingerprint=row.fingerprint,
                edits=row.number - 1,
                text_kept=row.text is not None,
            )
        )
    # read again, for it must be taken out as it is put in
    index_articles(connection, searched(connection, [row.article for row in rows]))


def let_go_texts(connection: Connection, ids: Collection[str], keep: int) -> None:
    """Keep the newest texts of articles, and those that slides read.

    Of the others the title, the time and the fingerprint stay. A replay reads no text
    but those of slides (`texts_of_slide`, `corrections_of_slide`).
    """
    for name in dict.fromkeys(ids):
        own = revisions.c.article == name
        newest = select(func.max(revisions.c.number)).where(own)
        kept = sorted(text_numbers(connection, name))
        last = connection.execute(newest).scalar() or 0
        connection.execute(
            update(revisions)
            .where(own, revisions.c.number <= last - keep)
            .where(revisions.c.number.not_in(kept))
            .where(revisions.c.text.is_not(None))
            .values(text=None)
        )


def give_to(
    connection: Connection, article_id: str, *, origin: str, source: str | None
) -> None:
    """Say that an article is another origin's from now on, and by which source.

    Only while its slide is open: slides read both.
    """
    here = articles.c.id == article_id
    change = {"origin": origin, "source": source}
    before = connection.execute(select(articles.c.source).where(here)).scalar()
    connection.execute(update(articles).where(here).values(**change))
    note_articles(connection, [article_id])
    forget_unused_sources(connection, [before] if before else [])


def article(connection: Connection, article_id: str) -> ArticleRow | None:
    """Return an article by its id."""
    query = select(articles).where(articles.c.id == article_id)
    return load_one(connection, query, ArticleRow)


def articles_by_id(
    connection: Connection, ids: Collection[str]
) -> Mapping[str, ArticleRow]:
    """Return the articles there are among these ids."""
    return _by(connection, articles.c.id, ids)


def revisions_of(connection: Connection, article_id: str) -> list[RevisionRow]:
    """Return the texts of an article, oldest first."""
    query = select(revisions).where(revisions.c.article == article_id)
    return load_all(connection, query.order_by(revisions.c.number), RevisionRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A revision without its text, which may be large."""

    number: int
    title: str
    fetched_at: datetime


def changes_of(
    connection: Connection, article_id: str, limit: int, before: int | None = None
) -> list[Change]:
    """Return the newest revisions of an article (below a number), newest first."""
    columns = (revisions.c.number, revisions.c.title, revisions.c.fetched_at)
    query = select(*columns).where(revisions.c.article == article_id)
    if before is not None:
        query = query.where(revisions.c.number < before)
    query = query.order_by(revisions.c.number.desc()).limit(limit)
    return load_all(connection, query, Change)


def newest_revision(connection: Connection, article_id: str) -> RevisionRow | None:
    """Return the newest text of an article."""
    query = select(revisions).where(revisions.c.article == article_id)
    return load_one(connection, query.order_by(revisions.c.number.desc()), RevisionRow)


def texts_by_id(connection: Connection, ids: Collection[str]) -> dict[str, str | None]:
    """Return the newest text of each of some articles, None if it is not kept."""
    return {
        name: document.text for name, document in _searched(connection, ids).items()
    }


def articles_of_story(
    connection: Connection, story: str, limit: int = 50, before: str | None = None
) -> RowPage[ArticleRow]:
    """Return a page of a story's articles, newest first; `before` is a cursor."""
    key = (articles.c.published_at, articles.c.id)
    query = select(articles).where(articles.c.story == story)
    if before is not None:
        query = query.where(tuple_(*key) < decode_cursor(before, "articles", key))
    query = query.order_by(key[0].desc(), key[1].desc()).limit(limit + 1)
    found = load_all(connection, query, ArticleRow)
    return page_of(found, limit, lambda row: ("articles", row.published_at, row.id))


def texts_of_slide(
    connection: Connection, slide: int
) -> list[tuple[ArticleRow, RevisionRow]]:
    """Return the articles of a slide, by intake number, each with its text of then.

    That is its newest revision that had come in by the end of the slide.
    """
    query = select(articles).where(articles.c.slide == slide)
    rows = load_all(connection, query.order_by(articles.c.seq), ArticleRow)
    newest: dict[str, RevisionRow] = {}
    for some in chunks(row.id for row in rows):
        query = select(revisions).where(
            revisions.c.article.in_(some), revisions.c.slide <= slide
        )
        found = load_all(connection, query.order_by(revisions.c.number), RevisionRow)
        newest |= {text.article: text for text in found}
    return [(row, newest[row.id]) for row in rows if row.id in newest]


def newest_articles(connection: Connection, limit: int) -> list[ArticleRow]:
    """Return the articles that came in last, newest first."""
    query = select(articles).order_by(articles.c.seq.desc()).limit(limit)
    return load_all(connection, query, ArticleRow)


def articles_since(
    connection: Connection, stories: Collection[str], since: datetime
) -> list[ArticleRow]:
    """Return the articles of stories that were published since, by intake number."""
    found: list[ArticleRow] = []
    for some in chunks(stories):
        query = select(articles).where(
            articles.c.story.in_(some), articles.c.published_at >= since
        )
        found += load_all(connection, query, ArticleRow)
    return sorted(found, key=lambda row: row.seq)


def newest_publication(connection: Connection) -> datetime | None:
    """Return the latest date of publication there is."""
    query = select(func.max(articles.c.published_at))
    found: datetime | None = connection.execute(query).scalar_one()
    return found


def newest_fetch(connection: Connection) -> datetime | None:
    """Return when the last article was fetched."""
    query = select(func.max(articles.c.fetched_at))
    found: datetime | None = connection.execute(query).scalar_one()
    return found


def newest_fetch_by_origin(connection: Connection) -> dict[str, datetime]:
    """Return when the last article of each origin was fetched."""
    query = select(articles.c.origin, func.max(articles.c.fetched_at).label("newest"))
    rows = connection.execute(query.group_by(articles.c.origin)).all()
    return {row.origin: row.newest for row in rows}


def slides_of(connection: Connection, ids: Collection[str]) -> set[int]:
    """Return the slides that some articles belong to."""
    numbers: set[int] = set()
    for some in chunks(ids):
        query = select(articles.c.slide).where(articles.c.id.in_(some))
        numbers.update(connection.execute(query).scalars())
    return numbers


def fingerprints_of(
    connection: Connection, ids: Collection[str]
) -> list[tuple[str, str]]:
    """Return the article and the fingerprint of each revision of some articles."""
    found: list[tuple[str, str]] = []
    for some in chunks(ids):
        query = select(revisions.c.article, revisions.c.fingerprint)
        rows = connection.execute(query.where(revisions.c.article.in_(some)))
        found += [(row.article, row.fingerprint) for row in rows]
    return found


def _by(
    connection: Connection, column: Column[object], wanted: Collection[str]
) -> dict[str, ArticleRow]:
    found: dict[str, ArticleRow] = {}
    for some in chunks(wanted):
        query = select(articles).where(column.in_(some)).order_by(articles.c.seq)
        for row in load_all(connection, query, ArticleRow):
            found.setdefault(str(getattr(row, column.name)), row)
    return found


def searched(connection: Connection, ids: Collection[str]) -> list[Document]:
    """Return what the search holds of these articles."""
    return list(_searched(connection, ids).values())


def _searched(connection: Connection, ids: Collection[str]) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for some in chunks(ids):
        query = (
            select(articles.c.id, articles.c.seq, revisions.c.title, revisions.c.text)
            .join(revisions, revisions.c.article == articles.c.id)
            # the newest alone: older texts may be many, and large
            .where(revisions.c.number == articles.c.edits + 1)
            .where(articles.c.id.in_(some))
        )
        for row in connection.execute(query):
            found[str(row.id)] = Document(row.seq, row.title, row.text)
    return found


def put_aside(connection: Connection, rows: Sequence[AsideRow]) -> None:
    """Set articles aside; one that is already gets the new reason."""
    upsert(connection, set_aside, [values(row) for row in rows])


def aside(connection: Connection, article: str) -> AsideRow | None:
    """Return why an article is set aside, None where it is not."""
    query = select(set_aside).where(set_aside.c.article == article)
    return load_one(connection, query, AsideRow)


def left_out(connection: Connection, slide: int) -> frozenset[str]:
    """Return the articles without which a slide is computed."""
    query = select(set_aside).where(set_aside.c.slide == slide)
    return frozenset(
        row.article for row in load_all(connection, query, AsideRow) if row.left_out
    )


def all_aside(connection: Connection, limit: int = 50) -> list[AsideRow]:
    """Return the articles set aside last, newest first."""
    newest = set_aside.c.at.desc(), set_aside.c.seq.desc()
    query = select(set_aside).order_by(*newest).limit(limit)
    return load_all(connection, query, AsideRow)


def take_back(connection: Connection, article: str) -> None:
    """Forget that an article was set aside."""
    connection.execute(delete(set_aside).where(set_aside.c.article == article))


def count_aside(connection: Connection) -> int:
    """Return how many articles are set aside."""
    query = select(func.count()).select_from(set_aside)
    return int(connection.execute(query).scalar_one())
