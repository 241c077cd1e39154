"""No list reads a whole table: what each query does is asked of the database."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, event, text

from tests.postgres import PostgresServer
from tests.store.builders import MINUTE, START, article_row, revision_row, story_row
from ustory.store import Store
from ustory.store.articles import (
    add_revisions,
    article,
    articles_of_story,
    find_known,
    insert_articles,
    newest_revision,
    next_seq,
    texts_of_slide,
)
from ustory.store.corrections import corrections_of_slide, text_numbers
from ustory.store.late import count_late
from ustory.store.listing import (
    StoryQuery,
    changes,
    days_of_story,
    list_stories,
    related,
    search_articles,
    sources_of_story,
    story,
)
from ustory.store.query import SORTS
from ustory.store.results import (
    events_after,
    events_of_story,
    last_event,
    write_events,
    write_stories,
)
from ustory.store.slides import (
    close_slide,
    last_done,
    next_closed,
    open_slide,
    start_slide,
    waiting_articles,
)
from ustory.store.story_articles import newest_of_story, stories_of_articles
from ustory.store.tables import EventRow, StoryDay

LARGE = ("articles", "revisions", "stories", "events", "decisions", "story_")
READS: dict[str, Callable[[Connection], object]] = {
    **{
        f"by {sort}": lambda c, sort=sort: list_stories(c, StoryQuery(sort=sort))  # type: ignore[misc]
        for sort in SORTS
    },
    "a status": lambda c: list_stories(c, StoryQuery(status="live", sort="recent")),
    "a keyword": lambda c: list_stories(c, StoryQuery(keyword="word7")),
    "a source": lambda c: list_stories(c, StoryQuery(source="source7")),
    **{
        f"{name} by {sort}": lambda c, name=name, word=word, sort=sort: list_stories(  # type: ignore[misc]
            c, StoryQuery(**{name: word}, sort=sort)
        )
        # every story has the keyword "storm": it would be right to read them all
        for name, word in (("keyword", "word7"), ("source", "seldom"), ("lang", "en"))
        for sort in SORTS
    },
    "two filters": lambda c: list_stories(
        c, StoryQuery(keyword="word7", lang="en", until=START + 900 * MINUTE)
    ),
    "since": lambda c: list_stories(c, StoryQuery(since=START, sort="recent")),
    "a story": lambda c: story(c, "s000007"),
    "its articles": lambda c: articles_of_story(c, "s000007"),
    "its newest articles": lambda c: newest_of_story(c, "s000007", 100),
    "where articles are": lambda c: stories_of_articles(c, ["a7", "a8"]),
    "its days": lambda c: days_of_story(c, "s000007"),
    "its sources": lambda c: sources_of_story(c, "s000007"),
    "its events": lambda c: events_of_story(c, "s000007"),
    "related": lambda c: related(c, "s000007"),
    "changes": lambda c: changes(c, 3),
    "events": lambda c: events_after(c, 10, kinds=["born"]),
    "last event": last_event,
    "an article": lambda c: article(c, "a7"),
    "its text": lambda c: newest_revision(c, "a7"),
    "known": lambda c: find_known(c, ["https://news.example/7"], ["f7"], ["a7"]),
    "next number": next_seq,
    "a slide": lambda c: texts_of_slide(c, 2),
    "what a slide corrects": lambda c: corrections_of_slide(c, 2),
    "texts that slides read": lambda c: text_numbers(c, "a7"),
    "slides": lambda c: (open_slide(c), next_closed(c), last_done(c)),
    "waiting": waiting_articles,
    "late": count_late,
}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def full(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """Return enough rows that no planner would rather read a whole table."""
    url = str(tmp_path_factory.mktemp("plans") / "archive.db")
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.empty()
    store = Store.open(url)
    _fill(store)
    yield store
    store.close()


def _fill(store: Store) -> None:
    count = 3000
    numbers = range(1, count + 1)
    articles = [article_row(n, 1 + n // 100, story=f"s{n:06d}") for n in numbers]
    stories = [
        story_row(n, 1 + n // 100, status="live" if n > count - 200 else "expired")
        for n in numbers
    ]
    days = [StoryDay(story=row.id, day=1, articles=1) for row in stories]
    sources = {
        row.id: [f"source{n}", *(["seldom"] if n % 50 == 0 else [])]
        for n, row in enumerate(stories)
    }
    born = [
        EventRow(id=0, slide=row.born_slide, at=START, kind="born", story=row.id)
        for row in stories
    ]
    with store.write() as connection:
        for n in range(31):
            start_slide(connection, START, START, 1 + n * 100)
            close_slide(connection, n + 1, 100 + n * 100)
        insert_articles(connection, articles)
        add_revisions(connection, [revision_row(row) for row in articles])
        write_stories(connection, stories, days, None, sources)
        write_events(connection, born)
    with store.write() as connection:
        connection.execute(text("ANALYZE"))


@contextmanager
def statements(connection: Connection) -> Iterator[list[tuple[str, Any]]]:
    """Collect the statements that are executed inside."""
    found: list[tuple[str, Any]] = []

    def keep(conn: Any, cursor: Any, said: str, given: Any, *rest: Any) -> None:  # noqa: ANN401 - SQLAlchemy's own
        del conn, cursor, rest
        if said.lstrip().startswith(("SELECT", "WITH")):
            found.append((said, given))

    event.listen(connection, "before_cursor_execute", keep)
    try:
        yield found
    finally:
        event.remove(connection, "before_cursor_execute", keep)


def whole_scans(connection: Connection, said: str, given: Any) -> list[str]:  # noqa: ANN401 - a driver's own
    """Return the steps of a plan that read a table, or sort it, from end to end."""
    if connection.dialect.name == "sqlite":
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {said}", given)
        steps = [str(row[3]) for row in plan]
        bad = tuple(f"SCAN {name}" for name in LARGE)
        # walking along an index is fine, where a LIMIT ends it
        sorts = any("TEMP B-TREE" in step for step in steps)
        walked = [step for step in steps if step.startswith(bad)]
        return [step for step in walked if sorts or "INDEX" not in step]
    plan = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {said}", given)
    found = plan.scalar_one()
    top = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return list(_steps(top))


def _steps(node: dict[str, Any]) -> Iterator[str]:
    name = str(node.get("Relation Name", ""))
    if node["Node Type"] == "Seq Scan" and name.startswith(LARGE):
        yield f"{node['Node Type']} of {name}"
    for inside in node.get("Plans", []):
        yield from _steps(inside)


@pytest.mark.parametrize("name", READS)
def test_nothing_is_read_from_end_to_end(full: Store, name: str) -> None:
    with full.read() as connection:
        with statements(connection) as found:
            READS[name](connection)
        assert found
        for said, given in found:
            assert whole_scans(connection, said, given) == [], said


def test_a_search_reads_its_index(full: Store) -> None:
    with full.read() as connection:
        with statements(connection) as found:
            search_articles(connection, '"storm number 7"')
        said, given = next(one for one in found if "search_articles" in one[0])
        if full.is_sqlite:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {said}", given)
            steps = [str(row[3]) for row in plan]
            assert all("VIRTUAL TABLE INDEX" in step for step in steps), steps
        else:
            assert whole_scans(connection, said, given) == []
