"""Keys with a name, scopes and an end; the one that the first start made is `first`."""

from __future__ import annotations

import json
import time

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, WORDS

revision = "0007"
down_revision = "0006"

_META = sa.table("meta", sa.column("key"), sa.column("value"))


def upgrade() -> None:
    """Make the table, and move the digests that were among the facts of the archive."""
    op.create_table(
        "keys",
        sa.Column("name", WORDS, nullable=False),
        sa.Column("digest", WORDS, nullable=False),
        sa.Column("scopes", WORDS, nullable=False),
        sa.Column("created_at", NUMBER, nullable=False),
        sa.Column("expires_at", NUMBER),
        sa.Column("revoked_at", NUMBER),
        sa.Column("last_used_at", NUMBER),
        sa.PrimaryKeyConstraint("name"),
    )
    now = time.time_ns() // 1000
    for number, digest in enumerate(_kept()):
        name = "first" if not number else f"first-{number + 1}"
        row = {"name": name, "digest": digest, "scopes": '["admin"]', "created_at": now}
        op.get_bind().execute(sa.insert(_keys()).values(row))
    op.execute("DELETE FROM meta WHERE key = 'keys'")


def downgrade() -> None:
    """Keep the digests of the keys that may do everything, as before."""
    table = _keys()
    query = sa.select(table.c.digest).where(
        table.c.revoked_at.is_(None),
        table.c.expires_at.is_(None),
        table.c.scopes.like('%"admin"%'),
    )
    found = [row[0] for row in op.get_bind().execute(query.order_by(table.c.name))]
    if found:
        kept = {"key": "keys", "value": json.dumps(found, separators=(",", ":"))}
        op.get_bind().execute(sa.insert(_META).values(kept))
    op.drop_table("keys")


def _keys() -> sa.TableClause:
    names = ("name", "digest", "scopes", "created_at", "expires_at", "revoked_at")
    return sa.table("keys", *map(sa.column, names))


def _kept() -> list[str]:
    query = sa.select(_META.c.value).where(_META.c.key == "keys")
    found = op.get_bind().execute(query).scalar()
    return [] if found is None else list(json.loads(found))
