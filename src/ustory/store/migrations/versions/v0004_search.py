"""Full-text indexes of articles and stories."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"

_INDEXES = ("search_articles", "search_stories")
# the words come without accents and in lower case; `words` finds them again
_SQLITE = (
    "CREATE VIRTUAL TABLE {table} USING fts5(words, content='', "
    "tokenize='unicode61 remove_diacritics 0')",
)
_POSTGRES = (
    "CREATE TABLE {table} (number BIGINT PRIMARY KEY, words tsvector NOT NULL)",
    # a short list of pending entries, for every search reads all of it
    "CREATE INDEX {table}_words ON {table} USING gin (words) "
    "WITH (gin_pending_list_limit = 512)",
)


def upgrade() -> None:
    """Make an index for each."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    for table in _INDEXES:
        for statement in _SQLITE if sqlite else _POSTGRES:
            op.execute(statement.format(table=table))


def downgrade() -> None:
    """Take the indexes away; they can be made again from the tables."""
    for table in _INDEXES:
        op.drop_table(table)
