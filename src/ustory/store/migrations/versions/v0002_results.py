"""Stories, decisions, events and snapshots."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, REAL, WORDS

revision = "0002"
down_revision = "0001"

_TABLES = (
    "snapshots",
    "events",
    "story_sources",
    "story_keywords",
    "story_days",
    "stories",
    "decisions",
)


def upgrade() -> None:
    """Make the tables."""
    _decisions()
    _stories()
    _story_days()
    _story_keywords()
    _story_sources()
    _events()
    _snapshots()


def downgrade() -> None:
    """Take the tables away."""
    for table in _TABLES:
        op.drop_table(table)


def _decisions() -> None:
    op.create_table(
        "decisions",
        sa.Column("article", WORDS, nullable=False),
        sa.Column("slide", NUMBER, nullable=False),
        sa.Column("story", WORDS),
        sa.Column("record", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("article", "slide"),
    )
    op.create_index("decisions_slide", "decisions", ["slide", "article"])


def _stories() -> None:
    op.create_table(
        "stories",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("status", WORDS, nullable=False),
        sa.Column("headline", WORDS, nullable=False),
        sa.Column("keywords", WORDS, nullable=False),
        sa.Column("first_seen", NUMBER, nullable=False),
        sa.Column("last_seen", NUMBER, nullable=False),
        sa.Column("articles", NUMBER, nullable=False),
        sa.Column("inside", NUMBER, nullable=False),
        sa.Column("sources", NUMBER, nullable=False),
        sa.Column("heat", REAL, nullable=False),
        sa.Column("born_at", NUMBER, nullable=False),
        sa.Column("born_slide", NUMBER, nullable=False),
        sa.Column("changed_slide", NUMBER, nullable=False),
        sa.Column("merged_into", WORDS),
        sa.Column("split_from", WORDS),
        sa.Column("lang", WORDS),
        sa.Column("top_sources", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("stories_born", "stories", ["born_slide"])
    op.create_index("stories_changed", "stories", ["changed_slide", "id"])
    op.create_index("stories_heat", "stories", ["status", "heat", "last_seen", "id"])
    op.create_index("stories_lang", "stories", ["lang", "status"])
    op.create_index("stories_merged", "stories", ["merged_into"])
    op.create_index("stories_new", "stories", ["status", "first_seen", "id"])
    op.create_index("stories_number", "stories", ["number"], unique=True)
    op.create_index("stories_recent", "stories", ["status", "last_seen", "id"])
    op.create_index("stories_size", "stories", ["status", "articles", "id"])
    op.create_index("stories_split", "stories", ["split_from"])


def _story_days() -> None:
    op.create_table(
        "story_days",
        sa.Column("story", WORDS, nullable=False),
        sa.Column("day", NUMBER, nullable=False),
        sa.Column("articles", NUMBER, nullable=False),
        sa.Column("sources", NUMBER, nullable=False),
        sa.Column("keywords", WORDS, nullable=False),
        sa.Column("central", WORDS),
        sa.PrimaryKeyConstraint("story", "day"),
    )


def _story_keywords() -> None:
    op.create_table(
        "story_keywords",
        sa.Column("story", WORDS, nullable=False),
        sa.Column("keyword", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("story", "keyword"),
    )
    op.create_index("story_keywords_keyword", "story_keywords", ["keyword", "story"])


def _story_sources() -> None:
    op.create_table(
        "story_sources",
        sa.Column("story", WORDS, nullable=False),
        sa.Column("source", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("story", "source"),
    )
    op.create_index("story_sources_source", "story_sources", ["source", "story"])


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("slide", NUMBER, nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("kind", WORDS, nullable=False),
        sa.Column("story", WORDS, nullable=False),
        sa.Column("articles", WORDS, nullable=False),
        sa.Column("details", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("events_kind", "events", ["kind", "id"])
    op.create_index("events_slide", "events", ["slide"])
    op.create_index("events_story", "events", ["story", "id"])


def _snapshots() -> None:
    op.create_table(
        "snapshots",
        sa.Column("slide", NUMBER, autoincrement=False, nullable=False),
        sa.Column("format", NUMBER, nullable=False),
        sa.Column("sha256", WORDS, nullable=False),
        sa.Column("bytes", sa.LargeBinary(), nullable=False),
        sa.Column("made_at", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("slide"),
    )
