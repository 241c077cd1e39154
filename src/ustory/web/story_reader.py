"""Stories as the API and the pages show them, read from the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from ustory.core.errors import ConfigError
from ustory.store import Connection, listing
from ustory.store.articles import articles_by_id, articles_of_story
from ustory.store.results import events_of_story
from ustory.store.search_query import parse_query
from ustory.store.slides import last_done
from ustory.store.tables import StoryRow
from ustory.stories.rows import trend
from ustory.web.errors import ApiError
from ustory.web.models.shared import Tags
from ustory.web.models.stories import (
    ArticleOut,
    ArticlePage,
    Changes,
    DayOut,
    EventOut,
    StoryDetail,
    StoryOut,
    StoryPage,
)

_ARTICLES = 50
_DAYS = 60
_EVENTS = 200
_RELATED = 10


class StoryReader:
    """Reads stories from one snapshot of the store, for a reader of some languages.

    Trends are computed for `now`.
    """

    def __init__(
        self, connection: Connection, now: datetime, reader: Tags = ()
    ) -> None:
        self._connection = connection
        self._now = now
        self._reader = reader

    def stories(self, query: listing.StoryQuery) -> StoryPage:
        """Return a page of stories."""
        with cursor_checked():
            page = listing.list_stories(self._connection, query)
        found = self.out(page.items)
        return StoryPage(stories=found, total=page.total, next=page.cursor)

    def story(self, story: str) -> StoryRow:
        """Return the row of a story, merged or not."""
        found = listing.stories_by_id(self._connection, [story]).get(story)
        if found is None:
            raise ApiError(404, f"there is no story {story}")
        return found

    def present_id(self, row: StoryRow) -> str:
        """Return the id of the story that this one is part of now, mostly its own."""
        if row.merged_into is None:
            return row.id
        found = listing.story(self._connection, row.id)
        return row.id if found is None else found.story.id

    def detail(self, row: StoryRow) -> StoryDetail:
        """Return a story with its articles, days, events and related stories."""
        return StoryDetail(
            story=self.out([row])[0],
            articles=self.articles(row, _ARTICLES, None),
            days=self.days(row, _DAYS),
            events=self.events(row),
            related=self.related(row, _RELATED),
        )

    def articles(self, row: StoryRow, limit: int, cursor: str | None) -> ArticlePage:
        """Return a page of a story's articles, the newest first."""
        with cursor_checked():
            page = articles_of_story(self._connection, row.id, limit, cursor)
        found = [ArticleOut.of(article) for article in page.items]
        return ArticlePage(articles=found, next=page.cursor)

    def days(self, row: StoryRow, last: int) -> list[DayOut]:
        """Return the last days of a story, the oldest first."""
        days = listing.days_of_story(self._connection, row.id)
        days = [day for day in days if day.articles][-last:]
        named = [day.central for day in days if day.central is not None]
        central = articles_by_id(self._connection, named)
        return [
            DayOut.of(day, central=ArticleOut.of(row) if row else None)
            for day in days
            for row in [central.get(day.central or "")]
        ]

    def events(self, row: StoryRow) -> list[EventOut]:
        """Return the newest events of a story, the oldest first."""
        found = events_of_story(self._connection, row.id, _EVENTS)
        return [EventOut.of(event) for event in reversed(found)]

    def related(self, row: StoryRow, limit: int) -> list[StoryOut]:
        """Return the stories that share most keywords with one."""
        return self.out(listing.related(self._connection, row.id, limit))

    def changes(
        self, since: datetime | str | None, limit: int, cursor: str | None
    ) -> Changes:
        """Return the stories that changed since a time, after a mark, or ever."""
        with cursor_checked():
            begin: datetime | int = 0
            if isinstance(since, str):
                begin = listing.marked_slide(self._connection, since)
            elif since is not None:
                begin = since
            page = listing.changes(self._connection, begin, limit, cursor)
        done = last_done(self._connection)
        return Changes(
            since=since if isinstance(since, datetime) else None,
            until=None if done is None else listing.slide_time(done),
            after=None if done is None else listing.changes_mark(done),
            stories=self.out(page.items),
            next=page.cursor,
        )

    def named(self, ids: Iterable[str]) -> dict[str, StoryOut]:
        """Return stories by id, without those that do not exist."""
        rows = listing.stories_by_id(self._connection, list(ids))
        return {name: self.out([row])[0] for name, row in rows.items()}

    def out(self, rows: Sequence[StoryRow]) -> list[StoryOut]:
        """Return rows as the API sends them."""
        return [
            StoryOut.of(row, self._reader, trend=trend(row, self._now)) for row in rows
        ]


@contextmanager
def cursor_checked() -> Iterator[None]:
    """Turn an invalid cursor into a 404."""
    try:
        yield
    except ConfigError:
        raise ApiError(
            404, "there is no page at this cursor or mark; begin again without one"
        ) from None


def check_text(text: str | None) -> None:
    """Refuse a search that cannot be read, such as one with a wrong date."""
    try:
        parse_query(text or "")
    except ConfigError as error:
        raise ApiError(400, f"q: {error}") from None
