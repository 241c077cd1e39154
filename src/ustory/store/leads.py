"""How texts begin: those of articles, and of the article that tells a story best."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Row, Select, and_, func, select

from ustory.store.mapping import chunks
from ustory.store.tables import articles, revisions, story_days

LENGTH = 2_000
"""Characters that are read of a text."""


@dataclass(frozen=True, slots=True)
class Opening:
    """How the newest text of an article begins."""

    article: str
    title: str
    lang: str | None
    text: str


_begins = func.substr(revisions.c.text, 1, LENGTH).label("text")
_columns = (articles.c.id, articles.c.title, articles.c.lang, _begins)
_newest = and_(
    revisions.c.article == articles.c.id, revisions.c.number == articles.c.edits + 1
)


def openings(connection: Connection, ids: Collection[str]) -> Mapping[str, Opening]:
    """Return how articles begin, by their id, without those whose text is gone."""
    found: dict[str, Opening] = {}
    for some in chunks(ids):
        rows = connection.execute(_texts().where(articles.c.id.in_(some)))
        found |= {row.id: _opening(row) for row in rows}
    return found


def story_openings(
    connection: Connection, stories: Iterable[str]
) -> Mapping[str, Opening]:
    """Return how the articles begin that tell stories best, by story.

    That is the most central article of its last day that is in the story still, else
    the newest; a story of which no text is kept is left out.
    """
    asked = list(dict.fromkeys(stories))
    found: dict[str, Opening] = {}
    for some in chunks(asked):
        rows = connection.execute(_central(some))
        found |= {row.story: _opening(row) for row in rows}
    for story in asked:
        if story not in found:
            row = connection.execute(_newest_of(story)).first()
            if row is not None:
                found[story] = _opening(row)
    return found


def _texts() -> Select[tuple[str, str, str | None, str]]:
    kept = and_(_newest, revisions.c.text.is_not(None))
    return select(*_columns).join(revisions, kept)


def _central(stories: Collection[str]) -> Select[tuple[str, str, str, str | None, str]]:
    there = and_(
        articles.c.id == story_days.c.central, articles.c.story == story_days.c.story
    )
    last = (
        select(story_days.c.story, func.max(story_days.c.day).label("day"))
        .join(articles, there)
        .where(story_days.c.story.in_(stories), articles.c.text_kept.is_(True))
        .group_by(story_days.c.story)
        .subquery()
    )
    same = and_(story_days.c.story == last.c.story, story_days.c.day == last.c.day)
    return (
        select(story_days.c.story, *_columns)
        .join(last, same)
        .join(articles, there)
        .join(revisions, and_(_newest, revisions.c.text.is_not(None)))
    )


def _newest_of(story: str) -> Select[tuple[str, str, str | None, str]]:
    newest = (articles.c.published_at.desc(), articles.c.id.desc())
    return _texts().where(articles.c.story == story).order_by(*newest).limit(1)


def _opening(row: Row[tuple[object, ...]]) -> Opening:
    return Opening(row.id, row.title, row.lang, row.text)
