"""Words and languages that stories are found by, in the order of every sort."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, WORDS

revision = "0005"
down_revision = "0004"

_STANDING = ("status", "first_seen", "last_seen", "articles")
_SORTS = {"recent": "last_seen", "size": "articles", "new": "first_seen"}
_LANGUAGES = {
    "heat": ["heat", "last_seen", "id"],
    "recent": ["last_seen", "id"],
    "size": ["articles", "id"],
    "new": ["first_seen", "id"],
}


def upgrade() -> None:
    """Make the tables of words anew, with what lists are sorted by."""
    # what is over has no heat: such stories are in the order they were last seen
    op.execute("UPDATE stories SET heat = 0 WHERE status <> 'live'")
    for table, word in (("story_keywords", "keyword"), ("story_sources", "source")):
        _make_again(table, word)
    op.drop_index("stories_lang", "stories")
    for sort, columns in _LANGUAGES.items():
        op.create_index(f"stories_lang_{sort}", "stories", ["lang", "status", *columns])


def _make_again(table: str, word: str) -> None:
    op.execute(f"CREATE TABLE before_0005 AS SELECT story, {word} FROM {table}")
    op.drop_table(table)
    op.create_table(
        table,
        sa.Column("story", WORDS, nullable=False),
        sa.Column(word, WORDS, nullable=False),
        sa.Column("status", WORDS, nullable=False),
        sa.Column("first_seen", NUMBER, nullable=False),
        sa.Column("last_seen", NUMBER, nullable=False),
        sa.Column("articles", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("story", word),
    )
    standing = ", ".join(f"stories.{name}" for name in _STANDING)
    op.execute(
        f"INSERT INTO {table} (story, {word}, {', '.join(_STANDING)}) "
        f"SELECT before_0005.story, before_0005.{word}, {standing} "
        "FROM before_0005 JOIN stories ON stories.id = before_0005.story"
    )
    op.drop_table("before_0005")
    for sort, column in _SORTS.items():
        op.create_index(f"{table}_{sort}", table, [word, "status", column, "story"])


def downgrade() -> None:
    """Make the tables of words as they were, with the words alone."""
    for table, word in (("story_keywords", "keyword"), ("story_sources", "source")):
        _make_as_before(table, word)
    for sort in _LANGUAGES:
        op.drop_index(f"stories_lang_{sort}", "stories")
    op.create_index("stories_lang", "stories", ["lang", "status"])


def _make_as_before(table: str, word: str) -> None:
    op.execute(f"CREATE TABLE after_0005 AS SELECT story, {word} FROM {table}")
    op.drop_table(table)
    op.create_table(
        table,
        sa.Column("story", WORDS, nullable=False),
        sa.Column(word, WORDS, nullable=False),
        sa.PrimaryKeyConstraint("story", word),
    )
    op.execute(
        f"INSERT INTO {table} (story, {word}) SELECT story, {word} FROM after_0005"
    )
    op.drop_table("after_0005")
    op.create_index(f"{table}_{word}", table, [word, "story"])
