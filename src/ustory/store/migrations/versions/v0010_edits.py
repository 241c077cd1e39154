"""Edits: what people change about stories, each in the slide that takes it in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, WORDS

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the table; nobody could edit before."""
    op.create_table(
        "edits",
        sa.Column("number", NUMBER, autoincrement=False, nullable=False),
        sa.Column("kind", WORDS, nullable=False),
        sa.Column("target", WORDS, nullable=False),
        sa.Column("payload", WORDS, nullable=False),
        sa.Column("by", WORDS, nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("why", WORDS, nullable=False),
        sa.Column("slide", NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_index("edits_slide", "edits", ["slide"])
    op.create_index("edits_target", "edits", ["target"])


def downgrade() -> None:
    """Take the table away; an older release cannot obey edits."""
    op.drop_table("edits")
