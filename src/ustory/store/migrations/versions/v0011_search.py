"""Search: titles apart from texts, words of titles, names, and facts to count by."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, WORDS
from ustory.store.migrations.old_words import old_words

revision = "0011"
down_revision = "0010"

_INDEXES = ("search_articles", "search_stories")
# the words come without accents and in lower case; they are cut again as they were
_SQLITE = (
    "CREATE VIRTUAL TABLE {table} USING fts5(title, text, content='', "
    "tokenize='unicode61 remove_diacritics 0')",
)
_POSTGRES = (
    # titles apart: every search reads those of what it finds
    "CREATE TABLE {table}_titles (number BIGINT PRIMARY KEY, words tsvector NOT NULL)",
    "CREATE TABLE {table} (number BIGINT PRIMARY KEY, words tsvector NOT NULL)",
    # a short list of pending entries, for every search reads all of it
    "CREATE INDEX {table}_titles_words ON {table}_titles USING gin (words) "
    "WITH (gin_pending_list_limit = 512)",
    "CREATE INDEX {table}_words ON {table} USING gin (words) "
    "WITH (gin_pending_list_limit = 512)",
)
_SQLITE_BEFORE = (
    "CREATE VIRTUAL TABLE {table} USING fts5(words, content='', "
    "tokenize='unicode61 remove_diacritics 0')",
)
_POSTGRES_BEFORE = (
    "CREATE TABLE {table} (number BIGINT PRIMARY KEY, words tsvector NOT NULL)",
    "CREATE INDEX {table}_words ON {table} USING gin (words) "
    "WITH (gin_pending_list_limit = 512)",
)
_ARTICLES = (
    "SELECT a.seq, r.title, coalesce(r.text, '') FROM articles a JOIN revisions r "
    "ON r.article = a.id AND r.number = a.edits + 1 "
    "WHERE a.seq > :after ORDER BY a.seq LIMIT 1000"
)
_STORIES = (
    "SELECT number, headline, keywords FROM stories "
    "WHERE number > :after ORDER BY number LIMIT 1000"
)


def upgrade() -> None:
    """Make the tables; they are filled from the others after all migrations."""
    for table in _INDEXES:
        op.drop_table(table)
    _make(_SQLITE, _POSTGRES)
    op.create_table(
        "search_blocks",
        sa.Column("kind", WORDS, nullable=False),
        sa.Column("block", NUMBER, autoincrement=False, nullable=False),
        sa.Column("digest", WORDS, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("kind", "block"),
    )
    op.create_table(
        "search_words",
        sa.Column("word", WORDS, nullable=False),
        sa.Column("titles", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("word"),
    )
    op.create_table(
        "search_names",
        sa.Column("kind", WORDS, nullable=False),
        sa.Column("number", NUMBER, autoincrement=False, nullable=False),
        sa.Column("name", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("kind", "number"),
    )
    op.create_index("search_names_name", "search_names", ["kind", "name"], unique=True)


def downgrade() -> None:
    """Make the indexes as they were, and fill them."""
    for table in ("search_blocks", "search_words", "search_names", *_INDEXES):
        op.drop_table(table)
    if op.get_bind().dialect.name != "sqlite":
        for table in _INDEXES:
            op.drop_table(f"{table}_titles")
    _make(_SQLITE_BEFORE, _POSTGRES_BEFORE)
    for table, query in zip(_INDEXES, (_ARTICLES, _STORIES), strict=True):
        _fill_before(table, query)


def _make(sqlite: tuple[str, ...], postgres: tuple[str, ...]) -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for table in _INDEXES:
        for statement in sqlite if is_sqlite else postgres:
            op.execute(statement.format(table=table))


def _fill_before(table: str, query: str) -> None:
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    insert = (
        f"INSERT INTO {table} (rowid, words) VALUES (:n, :words)"
        if is_sqlite
        else f"INSERT INTO {table} VALUES (:n, CAST(:words AS tsvector))"
    )
    write = " ".join if is_sqlite else _vector_before
    after = -1
    while rows := connection.execute(sa.text(query), {"after": after}).all():
        documents = [
            {
                "n": row[0],
                "words": write(old_words(f"{row[1]}\n{_text(table, row[2])}")),
            }
            for row in rows
        ]
        if not is_sqlite:
            for one in documents:
                one["words"] += _blocks_before(one["n"])
        connection.execute(sa.text(insert), documents)
        after = rows[-1][0]


def _text(table: str, value: str) -> str:
    return value if table == _INDEXES[0] else "\n".join(json.loads(value))


def _vector_before(words: list[str]) -> str:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words, start=1):
        places.setdefault(word, []).append(place)
    return " ".join(f"'{w}':{','.join(map(str, at[:255]))}" for w, at in places.items())


def _blocks_before(number: int) -> str:
    """Return the names of the blocks that a document was in, which it was found by."""
    shifts = (12, 15, 18, 21, 24)
    return "".join(f" '#{level}:{number >> s}'" for level, s in enumerate(shifts))
