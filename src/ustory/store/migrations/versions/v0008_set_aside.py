"""Articles that are set aside: slides are computed without them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, WORDS

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the table; nothing was set aside before."""
    op.create_table(
        "set_aside",
        sa.Column("article", WORDS, nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("slide", NUMBER, nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("reason", WORDS, nullable=False),
        sa.Column("by", WORDS, nullable=False),
        sa.Column("left_out", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("article"),
    )
    op.create_index("set_aside_slide", "set_aside", ["slide"])


def downgrade() -> None:
    """Take the table away; an older release cannot leave the articles out."""
    op.drop_table("set_aside")
