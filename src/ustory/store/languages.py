"""Languages of articles: what they were found to be in, and what their source said."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, func, select, update

from ustory.store.search_rows import note_articles
from ustory.store.tables import ArticleRow, articles


def said_language(row: ArticleRow) -> str | None:
    """Return the language that the source of an article says, None if it says none."""
    return row.lang if row.sent_lang is None else row.sent_lang or None


def write_languages(connection: Connection, found: Mapping[str, str]) -> None:
    """Set the languages of articles, by id; what their source said is kept."""
    if not found:
        return
    said = func.coalesce(articles.c.sent_lang, articles.c.lang, "")
    connection.execute(
        update(articles)
        .where(articles.c.id == bindparam("article_id"))
        .values(sent_lang=said, lang=bindparam("new_lang")),
        [{"article_id": name, "new_lang": lang} for name, lang in found.items()],
    )
    note_articles(connection, found)


def forget_languages(connection: Connection, after: int) -> None:
    """Give articles of the slides after one the languages that their sources said."""
    mine = articles.c.slide > after, articles.c.sent_lang.is_not(None)
    ids = list(connection.execute(select(articles.c.id).where(*mine)).scalars())
    said = func.nullif(articles.c.sent_lang, "")
    connection.execute(update(articles).where(*mine).values(lang=said, sent_lang=None))
    note_articles(connection, ids)
