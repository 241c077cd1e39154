"""Watchlists may hold a search."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import WORDS

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column; no watchlist has a search yet."""
    op.add_column("watchlists", sa.Column("search", WORDS, nullable=True))


def downgrade() -> None:
    """Take the column away; what was only searched for is not watched any more."""
    op.drop_column("watchlists", "search")
