"""What the source of an article said about its language, where that is not so."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import WORDS

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the column; languages so far are what sources said."""
    op.add_column("articles", sa.Column("sent_lang", WORDS, nullable=True))


def downgrade() -> None:
    """Take the column away; languages are again what sources said."""
    op.execute(
        "UPDATE articles SET lang = nullif(sent_lang, '') WHERE sent_lang IS NOT NULL"
    )
    op.drop_column("articles", "sent_lang")
