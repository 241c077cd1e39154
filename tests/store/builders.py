"""Small archives to test with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from ustory.store import Store
from ustory.store.articles import add_revisions, insert_articles, next_seq
from ustory.store.results import (
    Placement,
    place_articles,
    write_decisions,
    write_events,
    write_stories,
)
from ustory.store.slides import close_slide, finish_slide, start_slide
from ustory.store.snapshots import put
from ustory.store.tables import (
    ArticleRow,
    DecisionRow,
    EventRow,
    RevisionRow,
    StoryDay,
    StoryRow,
)

START = datetime(2024, 3, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def article_row(seq: int, slide: int = 1, **given: object) -> ArticleRow:
    """Return an article that came in as number `seq`, published in that minute."""
    usual: dict[str, object] = {
        "id": f"a{seq}",
        "published_at": START + seq * MINUTE,
        "fetched_at": START + seq * MINUTE,
        "fingerprint": f"f{seq}",
        "title": f"Storm number {seq}",
        "address": f"https://news.example/{seq}",
        "source": "Harbour Post",
        "lang": "en",
        "authors": ("R. Vane",),
    }
    return ArticleRow(seq=seq, slide=slide, **(usual | given))  # type: ignore[arg-type]


def revision_row(article: ArticleRow, text: str = "The bridge is shut.") -> RevisionRow:
    """Return the first text of an article."""
    return RevisionRow(
        seq=article.seq,
        article=article.id,
        number=1,
        slide=article.slide,
        fetched_at=article.fetched_at,
        fingerprint=article.fingerprint,
        title=article.title,
        text=text,
    )


def edit_row(seq: int, article: str, number: int, slide: int, text: str) -> RevisionRow:
    """Return a later text of an article."""
    return RevisionRow(
        seq=seq,
        article=article,
        number=number,
        slide=slide,
        fetched_at=START + seq * MINUTE,
        fingerprint=f"f{seq}",
        title=f"Edited {seq}",
        text=text,
    )


def story_row(number: int, slide: int = 1, **given: object) -> StoryRow:
    """Return a story that was born in a slide."""
    usual: dict[str, object] = {
        "id": f"s{number:06d}",
        "first_seen": START + number * MINUTE,
        "last_seen": START + number * MINUTE,
        "born_at": START,
        "born_slide": slide,
        "changed_slide": slide,
        "headline": f"Headline {number}",
        "keywords": ("storm", f"word{number}"),
        "articles": number,
        "heat": float(number),
        "lang": "en",
    }
    return StoryRow(**(usual | given))  # type: ignore[arg-type]


def take_in(
    connection: Connection, count: int, texts: Sequence[str] = ("The bridge is shut.",)
) -> list[ArticleRow]:
    """Open a slide, take in articles, close it; return them."""
    first = next_seq(connection)
    start = START + first * MINUTE
    slide = start_slide(connection, start, start + count * MINUTE, first)
    rows = [article_row(first + n, slide.number) for n in range(count)]
    insert_articles(connection, rows)
    pairs = zip(rows, (texts[n % len(texts)] for n in range(count)), strict=True)
    add_revisions(connection, [revision_row(row, text) for row, text in pairs])
    close_slide(connection, slide.number, first + count - 1)
    return rows


def decide(connection: Connection, rows: Sequence[ArticleRow], at: datetime) -> None:
    """Make one story of the articles of a slide, and finish it."""
    slide = rows[0].slide
    story = story_row(slide, slide, articles=len(rows))
    record = {"how": "seeded", "confidence": 0.75, "copy_of": None}
    places = {
        row.id: Placement(story=story.id, how="seeded", confidence=0.75) for row in rows
    }
    decisions = [
        DecisionRow(article=row.id, slide=slide, story=story.id, record=record)
        for row in rows
    ]
    write_decisions(connection, decisions)
    place_articles(connection, places)
    day = StoryDay(story=story.id, day=19783, articles=len(rows), central=rows[0].id)
    write_stories(connection, [story], [day], None, {story.id: ["Harbour Post"]})
    born = EventRow(
        id=0, slide=slide, at=at, kind="born", story=story.id, articles=tuple(places)
    )
    write_events(connection, [born])
    put(connection, slide, 1, f"state {slide}".encode(), at)
    finish_slide(connection, slide, done_at=at, stories=1, seconds={"all": 0.5})


def fill(store: Store, slides: int = 3, each: int = 4, at: datetime = START) -> None:
    """Fill an archive with slides that are done, a story in each."""
    for _ in range(slides):
        with store.write() as connection:
            decide(connection, take_in(connection, each), at)
