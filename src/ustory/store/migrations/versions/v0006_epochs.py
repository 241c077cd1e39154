"""Epochs: which slides were computed by which version of the method."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, WORDS

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the table; what is there was computed by the method of release 0.1.0."""
    op.create_table(
        "epochs",
        sa.Column("number", NUMBER, autoincrement=False, nullable=False),
        sa.Column("slide", NUMBER, nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("reason", WORDS, nullable=False),
        sa.Column("method", NUMBER, nullable=False),
        sa.Column("version", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.execute(
        "INSERT INTO epochs (number, slide, at, reason, method, version) "
        "SELECT 1, 0, MIN(start), 'begin', 1, '0.1.0' FROM slides HAVING COUNT(*) > 0"
    )


def downgrade() -> None:
    """Take the table away."""
    op.drop_table("epochs")
