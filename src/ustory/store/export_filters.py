"""Which rows an export has: filters by name, and a set of numbers.

A filter that does not fit what is exported is refused: an export never has more rows
than were asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Text, func, or_, select, type_coerce

from ustory.core.errors import ConfigError
from ustory.store.listing import stories_by_id
from ustory.store.listing import story as present_story
from ustory.store.tables import (
    articles,
    events,
    stories,
    story_keywords,
    story_sources,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFilter:
    """Which rows; what is None is not asked for."""

    story: str | None = None
    """Of articles: those that are in it now; one that was merged means the other."""
    source: str | None = None
    lang: str | None = None
    status: str | None = None
    keyword: str | None = None
    since: datetime | None = None
    """Articles published, stories with articles, events that happened, since then."""
    until: datetime | None = None
    """The same before then; stories that began before."""
    numbers: Sequence[int] | None = None
    """Of the key of the rows, such as those that a search has found: `seq` of
    articles and assignments, `number` of stories, `id` of events."""

    def given(self) -> dict[str, Any]:
        """Return the filters that are asked for, by name, without the numbers."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: value
            for name, value in values.items()
            if value is not None and name != "numbers"
        }


class UnknownStoryError(ConfigError):
    """A filter names a story that there is not."""


Rule = Callable[[Any], ColumnElement[bool]]

_OF_ARTICLES: Mapping[str, Rule] = {
    "story": lambda story: articles.c.story == story,
    "source": lambda source: articles.c.source == source,
    "lang": lambda lang: articles.c.lang == lang,
    "since": lambda moment: articles.c.published_at >= moment,
    "until": lambda moment: articles.c.published_at < moment,
}
_keywords, _sources = story_keywords.c, story_sources.c
_OF_STORIES: Mapping[str, Rule] = {
    "story": lambda story: stories.c.id == story,
    "status": lambda status: stories.c.status == status,
    "source": lambda source: stories.c.id.in_(
        select(_sources.story).where(_sources.source == source)
    ),
    "keyword": lambda keyword: stories.c.id.in_(
        select(_keywords.story).where(_keywords.keyword == keyword)
    ),
    "lang": lambda lang: or_(stories.c.lang == lang, _told_in(lang)),
    "since": lambda moment: stories.c.last_seen >= moment,
    "until": lambda moment: stories.c.first_seen < moment,
}


def _told_in(lang: str) -> ColumnElement[bool]:
    """Return the condition of stories that have a language among others."""
    # as the column is written; a quote in the name would be written otherwise
    written = json.dumps({"lang": lang})[1:-1].replace(": ", ":", 1)
    column = type_coerce(stories.c.languages, Text)
    # LIKE would take capitals for small letters, in SQLite alone
    return func.length(func.replace(column, written, "")) < func.length(column)


_OF_EVENTS: Mapping[str, Rule] = {
    "story": lambda story: events.c.story == story,
    "since": lambda moment: events.c.at >= moment,
    "until": lambda moment: events.c.at < moment,
}
RULES: Mapping[str, Mapping[str, Rule]] = {
    "articles": _OF_ARTICLES,
    "stories": _OF_STORIES,
    "events": _OF_EVENTS,
    "assignments": _OF_ARTICLES,
}
"""The filters that fit each kind of export, and the condition of each."""


def conditions(what: str, wanted: ExportFilter) -> list[ColumnElement[bool]]:
    """Return the conditions of a filter; one that does not fit is refused."""
    rules, given = RULES[what], wanted.given()
    wrong = [name for name in given if name not in rules]
    if wrong:
        raise ConfigError(
            f"{what} cannot be chosen by {', '.join(wrong)}; give some of "
            f"{', '.join(rules)}"
        )
    return [rules[name](value) for name, value in given.items()]


def resolved(connection: Connection, what: str, wanted: ExportFilter) -> ExportFilter:
    """Return a filter that names a story that there is.

    The articles of a story that was merged are in the other now; its row and its
    events are its own.
    """
    if wanted.story is None:
        return wanted
    found = present_story(connection, wanted.story)
    if found is None:
        if wanted.story in stories_by_id(connection, [wanted.story]):
            return wanted
        raise UnknownStoryError(f"there is no story {wanted.story}")
    by_place = RULES[what] is _OF_ARTICLES
    return replace(wanted, story=found.story.id) if by_place else wanted
