"""Archives to search in, as rows of the store and as plain values."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from tests.reference.search import PlainArticle, PlainStory
from tests.store.builders import START, article_row, revision_row, story_row
from ustory.store.articles import add_revisions, insert_articles
from ustory.store.results import Placement, place_articles, write_stories

CHUNK = 500


def write_plain(
    connection: Connection,
    articles: Sequence[PlainArticle],
    stories: Sequence[PlainStory],
) -> None:
    """Write an archive; stories are written before or after, as it happens."""
    for at in range(0, len(articles), CHUNK):
        some = articles[at : at + CHUNK]
        rows = [
            article_row(
                a.seq,
                title=a.title,
                source=a.source,
                lang=a.lang,
                published_at=a.published,
            )
            for a in some
        ]
        insert_articles(connection, rows)
        pairs = zip(rows, some, strict=True)
        add_revisions(connection, [revision_row(row, a.text) for row, a in pairs])
    half = len(articles) // 2
    for part in (articles[:half], articles[half:]):
        places = {f"a{a.seq}": Placement(story=a.story, how="seeded") for a in part}
        place_articles(connection, places)
        if part is not articles[half:]:
            _write_stories(connection, stories)


def _write_stories(connection: Connection, stories: Sequence[PlainStory]) -> None:
    rows = [
        story_row(
            number,
            id=s.id,
            headline=s.headline,
            keywords=s.keywords,
            articles=s.articles,
            status=s.status,
            lang=s.lang,
            heat=1.0 if s.status == "live" else 0.0,
            first_seen=s.first_seen,
            last_seen=s.last_seen,
            born_at=START,
        )
        for number, s in enumerate(stories, start=1)
    ]
    write_stories(connection, rows, sources={s.id: sorted(s.sources) for s in stories})


def stories_of(articles: Sequence[PlainArticle]) -> list[PlainStory]:
    """Return the stories that articles name: made of their titles."""
    found: dict[str, list[PlainArticle]] = {}
    for article in articles:
        if article.story is not None:
            found.setdefault(article.story, []).append(article)
    return [
        PlainStory(
            id=name,
            headline=own[0].title,
            keywords=tuple(
                sorted({w.lower() for a in own for w in a.title.split()})[:5]
            ),
            articles=len(own),
            status=("live", "expired", "live", "merged")[place % 4],
            lang=own[0].lang,
            first_seen=min(a.published for a in own),
            last_seen=max(a.published for a in own),
            sources=frozenset(a.source for a in own if a.source),
        )
        for place, (name, own) in enumerate(sorted(found.items()))
    ]
