"""Stories say which languages they are told in, and words keep what is no accent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any, TypeAlias

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import WORDS
from ustory.store.migrations.old_words import old_document, old_vectors

revision = "0016"
down_revision = "0015"

Document: TypeAlias = tuple[int, list[str], list[str]]
"""The number of a document, the words of its title and those of its text."""

_INDEXES = ("search_articles", "search_stories")
# words come as they are found: the tokenizer takes all that is not ASCII for letters
_TABLE = (
    "CREATE VIRTUAL TABLE {table} USING fts5(title, text, content='', "
    "tokenize={tokenizer})"
)
_NOW, _BEFORE = "'ascii'", "'unicode61 remove_diacritics 0'"
_PAGE = 1_000
_COUNTED = (
    "SELECT story, lang, count(*) FROM articles WHERE story IS NOT NULL "
    "GROUP BY story, lang ORDER BY story, lang"
)
_TOLD = "SELECT lang, headline, keywords FROM stories WHERE id = :id"
_SET = "UPDATE stories SET languages = :languages WHERE id = :id"
_ARTICLES = (
    "SELECT a.seq, r.title, coalesce(r.text, '') FROM articles a JOIN revisions r "
    "ON r.article = a.id AND r.number = a.edits + 1 "
    "WHERE a.seq > :after ORDER BY a.seq LIMIT 1000"
)
_STORIES = (
    "SELECT number, headline, keywords FROM stories "
    "WHERE number > :after ORDER BY number LIMIT 1000"
)
_WORDS = sa.table("search_words", sa.column("word"), sa.column("titles"))


def upgrade() -> None:
    """Count the languages of stories; a headline in each is found when one changes.

    The search is filled anew after all migrations.
    """
    op.add_column("stories", sa.Column("languages", WORDS, nullable=True))
    op.create_index("articles_story_lang", "articles", ["story", "lang"])
    _count_languages()
    if _is_sqlite():
        _make(_NOW)


def downgrade() -> None:
    """Make the search as it was, and fill it; headlines of languages are gone."""
    op.drop_index("articles_story_lang", "articles")
    op.drop_column("stories", "languages")
    op.execute("DELETE FROM search_blocks WHERE kind = 'langs'")
    op.execute("DELETE FROM search_words")
    if _is_sqlite():
        _make(_BEFORE)
    else:
        for table in _INDEXES:
            op.execute(f"DELETE FROM {table}")
            op.execute(f"DELETE FROM {table}_titles")
    titles = _fill(_INDEXES[0], _ARTICLES)
    _fill(_INDEXES[1], _STORIES)
    rows = [{"word": word, "titles": n} for word, n in sorted(titles.items())]
    for at in range(0, len(rows), _PAGE):
        op.bulk_insert(_WORDS, rows[at : at + _PAGE])


def _count_languages() -> None:
    """Write the counts of stories with several languages; one alone is `lang`."""
    connection = op.get_bind()
    counted = connection.execute(sa.text(_COUNTED)).all()
    for story, rows in groupby(counted, key=lambda row: row[0]):
        counts = {row[1]: int(row[2]) for row in rows}
        if len(counts) < 2:
            continue
        found = connection.execute(sa.text(_TOLD), {"id": story}).first()
        if found is None:
            continue
        told = [
            _told(lang, counts[lang], tuple(found))
            for lang in sorted(filter(None, counts), key=lambda n: (-counts[n], n))
        ]
        given = json.dumps(told, sort_keys=True, separators=(",", ":"))
        connection.execute(sa.text(_SET), {"id": story, "languages": given})


def _told(lang: str, articles: int, story: Sequence[str]) -> dict[str, Any]:
    known = lang == story[0]
    return {
        "lang": lang,
        "articles": articles,
        "headline": story[1] if known else "",
        "keywords": json.loads(story[2]) if known else [],
    }


def _is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"


def _make(tokenizer: str) -> None:
    for table in _INDEXES:
        op.drop_table(table)
        op.execute(_TABLE.format(table=table, tokenizer=tokenizer))


def _fill(table: str, query: str) -> Counter[str]:
    """Index all documents as they were; return how many titles have each word."""
    connection = op.get_bind()
    titles: Counter[str] = Counter()
    after = -1
    while rows := connection.execute(sa.text(query), {"after": after}).all():
        documents = [
            (row[0], *old_document(row[1], _text(table, row[2]))) for row in rows
        ]
        for _, title, _ in documents:
            titles.update(set(title))
        if _is_sqlite():
            _index_sqlite(table, documents)
        else:
            _index_postgres(table, documents)
        after = rows[-1][0]
    return titles


def _text(table: str, value: str) -> str:
    return value if table == _INDEXES[0] else "\n".join(json.loads(value))


def _index_sqlite(table: str, documents: Sequence[Document]) -> None:
    statement = f"INSERT INTO {table} (rowid, title, text) VALUES (:n, :title, :text)"
    given = [
        {"n": n, "title": " ".join(title), "text": " ".join(words)}
        for n, title, words in documents
    ]
    op.get_bind().execute(sa.text(statement), given)


def _index_postgres(table: str, documents: Sequence[Document]) -> None:
    vectors = [(n, *old_vectors(title, words)) for n, title, words in documents]
    for place, name in enumerate((f"{table}_titles", table), start=1):
        statement = f"INSERT INTO {name} VALUES (:n, CAST(:words AS tsvector))"
        given = [{"n": row[0], "words": row[place]} for row in vectors]
        op.get_bind().execute(sa.text(statement), given)
