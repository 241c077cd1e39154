"""The format of a webhook's messages: hooks that exist keep the one they had."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, WORDS

revision = "0012"
down_revision = "0011"

_NAMES = "id, name, keywords, example, webhook, secret, created_at, active"


def upgrade() -> None:
    """Say `plain` of each webhook, and `cloudevents` where there is none yet."""
    _make_again(sa.Column("webhook_format", WORDS, nullable=False))
    op.execute(
        f"INSERT INTO watchlists ({_NAMES}, webhook_format) SELECT {_NAMES}, "
        "CASE WHEN webhook IS NULL THEN 'cloudevents' ELSE 'plain' END FROM before_0012"
    )
    op.drop_table("before_0012")


def downgrade() -> None:
    """Forget the formats; the older release writes `plain` to all."""
    _make_again()
    op.execute(f"INSERT INTO watchlists ({_NAMES}) SELECT {_NAMES} FROM before_0012")
    op.drop_table("before_0012")


def _make_again(*more: sa.Column[str]) -> None:
    # a new column that may not be empty would need a default, and no column has one
    op.execute(f"CREATE TABLE before_0012 AS SELECT {_NAMES} FROM watchlists")
    op.drop_table("watchlists")
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
        *more,
        sa.PrimaryKeyConstraint("id"),
    )
