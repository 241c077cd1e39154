"""An index of the articles that were late: counting them reads nothing else."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

_LATE = sa.text("how = 'late'")


def upgrade() -> None:
    """Make the index."""
    op.create_index(
        "articles_late",
        "articles",
        ["seq"],
        sqlite_where=_LATE,
        postgresql_where=_LATE,
    )


def downgrade() -> None:
    """Take the index away."""
    op.drop_index("articles_late", "articles")
