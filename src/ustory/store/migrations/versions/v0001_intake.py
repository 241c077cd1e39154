"""Articles, slides, sources and problems."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, REAL, WORDS

revision = "0001"
down_revision = None

_TABLES = ("problems", "feeds", "cursors", "slides", "revisions", "articles", "meta")


def upgrade() -> None:
    """Make the tables."""
    _meta()
    _articles()
    _revisions()
    _slides()
    _cursors()
    _feeds()
    _problems()


def downgrade() -> None:
    """Take the tables away."""
    for table in _TABLES:
        op.drop_table(table)


def _meta() -> None:
    op.create_table(
        "meta",
        sa.Column("key", WORDS, nullable=False),
        sa.Column("value", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )


def _articles() -> None:
    op.create_table(
        "articles",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("slide", NUMBER, nullable=False),
        sa.Column("url", WORDS),
        sa.Column("address", WORDS),
        sa.Column("fingerprint", WORDS, nullable=False),
        sa.Column("title", WORDS, nullable=False),
        sa.Column("source", WORDS),
        sa.Column("lang", WORDS),
        sa.Column("authors", WORDS, nullable=False),
        sa.Column("published_at", NUMBER, nullable=False),
        sa.Column("claimed_at", NUMBER),
        sa.Column("date_flag", WORDS),
        sa.Column("fetched_at", NUMBER, nullable=False),
        sa.Column("origin", WORDS, nullable=False),
        sa.Column("story", WORDS),
        sa.Column("how", WORDS, nullable=False),
        sa.Column("confidence", REAL, nullable=False),
        sa.Column("copy_of", WORDS),
        sa.Column("edits", NUMBER, nullable=False),
        sa.Column("waiting", sa.Boolean(), nullable=False),
        sa.Column("text_kept", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("articles_address", "articles", ["address"], unique=True)
    op.create_index("articles_fingerprint", "articles", ["fingerprint"])
    op.create_index("articles_lang", "articles", ["lang", "published_at"])
    op.create_index("articles_published_at", "articles", ["published_at", "id"])
    op.create_index("articles_seq", "articles", ["seq"], unique=True)
    op.create_index("articles_slide", "articles", ["slide"])
    op.create_index("articles_source", "articles", ["source", "published_at"])
    op.create_index("articles_story", "articles", ["story", "published_at", "id"])
    # a partial index, written for each database as it says true
    op.create_index(
        "articles_text_kept",
        "articles",
        ["published_at"],
        sqlite_where=sa.text("text_kept = 1"),
        postgresql_where=sa.text("text_kept = true"),
    )


def _revisions() -> None:
    op.create_table(
        "revisions",
        sa.Column("seq", NUMBER, autoincrement=False, nullable=False),
        sa.Column("article", WORDS, nullable=False),
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("slide", NUMBER, nullable=False),
        sa.Column("title", WORDS, nullable=False),
        sa.Column("text", WORDS),
        sa.Column("fingerprint", WORDS, nullable=False),
        sa.Column("fetched_at", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_index(
        "revisions_article", "revisions", ["article", "number"], unique=True
    )


def _slides() -> None:
    op.create_table(
        "slides",
        sa.Column("number", NUMBER, autoincrement=False, nullable=False),
        sa.Column("start", NUMBER, nullable=False),
        sa.Column("end", NUMBER, nullable=False),
        sa.Column("first_seq", NUMBER, nullable=False),
        sa.Column("last_seq", NUMBER),
        sa.Column("status", WORDS, nullable=False),
        sa.Column("done_at", NUMBER),
        sa.Column("articles", NUMBER, nullable=False),
        sa.Column("stories", NUMBER, nullable=False),
        sa.Column("seconds", WORDS, nullable=False),
        sa.Column("digest", WORDS),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_index("slides_end", "slides", ["end", "number"])
    op.create_index("slides_status", "slides", ["status", "number"])


def _cursors() -> None:
    op.create_table(
        "cursors",
        sa.Column("source", WORDS, nullable=False),
        sa.Column("cursor", WORDS, nullable=False),
        sa.Column("updated_at", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("source"),
    )


def _feeds() -> None:
    op.create_table(
        "feeds",
        sa.Column("url", WORDS, nullable=False),
        sa.Column("title", WORDS, nullable=False),
        sa.Column("etag", WORDS),
        sa.Column("modified", WORDS),
        sa.Column("next_at", NUMBER),
        sa.Column("failures", NUMBER, nullable=False),
        sa.Column("last_ok", NUMBER),
        sa.Column("last_error", WORDS),
        sa.Column("status", NUMBER),
        sa.Column("articles", NUMBER, nullable=False),
        sa.Column("added_at", NUMBER, nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("url"),
    )
    op.create_index("feeds_next_at", "feeds", ["next_at"])


def _problems() -> None:
    op.create_table(
        "problems",
        sa.Column("id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("origin", WORDS, nullable=False),
        sa.Column("kind", WORDS, nullable=False),
        sa.Column("message", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
