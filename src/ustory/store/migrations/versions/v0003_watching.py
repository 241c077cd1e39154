"""Watchlists, their matches and deliveries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, WORDS

revision = "0003"
down_revision = "0002"

_TABLES = ("deliveries", "matches", "watchlists")


def upgrade() -> None:
    """Make the tables."""
    _watchlists()
    _matches()
    _deliveries()


def downgrade() -> None:
    """Take the tables away."""
    for table in _TABLES:
        op.drop_table(table)


def _watchlists() -> None:
    op.create_table(
        "watchlists",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("name", WORDS, nullable=False),
        sa.Column("keywords", WORDS, nullable=False),
        sa.Column("example", WORDS),
        sa.Column("webhook", WORDS),
        sa.Column("secret", WORDS),
        sa.Column("created_at", NUMBER, nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def _matches() -> None:
    op.create_table(
        "matches",
        sa.Column("id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("watchlist", WORDS, nullable=False),
        sa.Column("story", WORDS, nullable=False),
        sa.Column("article", WORDS),
        sa.Column("slide", NUMBER, nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("matches_story", "matches", ["watchlist", "story"], unique=True)
    op.create_index("matches_watchlist", "matches", ["watchlist", "id"])


def _deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("watchlist", WORDS, nullable=False),
        sa.Column("match", NUMBER, nullable=False),
        sa.Column("url", WORDS, nullable=False),
        sa.Column("body", WORDS, nullable=False),
        sa.Column("attempts", NUMBER, nullable=False),
        sa.Column("next_at", NUMBER, nullable=False),
        sa.Column("status", WORDS, nullable=False),
        sa.Column("last_error", WORDS),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("deliveries_due", "deliveries", ["status", "next_at"])
