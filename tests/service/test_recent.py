"""Dates that are far off move neither the clock of a stream nor who was first."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.service.running import DAY, START, Hand, Rig, article, opened
from ustory.core.article import Article
from ustory.service.clock import StreamClock
from ustory.store import Store
from ustory.store.articles import article as stored
from ustory.store.feeds import add_feeds
from ustory.store.listing import stories_by_id
from ustory.store.tables import ArticleRow, FeedRow

TODAY = datetime(2026, 11, 1, tzinfo=UTC)
HONEST, FORGER = "https://honest.example/feed", "https://forger.example/feed"


def row(store: Store, name: str) -> ArticleRow:
    with store.read() as connection:
        found = stored(connection, name)
    assert found is not None
    return found


def by(number: int, source: str, **fields: object) -> Article:
    return article(number, "", source=source, url=None, **fields)


def stream(store: Store) -> Rig:
    return Rig(store, StreamClock(ceiling=lambda: TODAY + DAY))


@pytest.mark.parametrize("batches", [False, True])
def test_one_article_dated_far_ahead_does_not_end_an_old_stream(
    url: str, batches: bool
) -> None:
    news = [by(n, f"paper{n % 4}") for n in range(1, 30)]
    odd = by(100, "liar", published_at=TODAY)
    news.insert(10, odd)
    with opened(url) as store:
        rig = stream(store)
        for part in [news[:7], news[7:]] if batches else [news]:
            rig.accept(*part)
        rig.loop.finish()
        assert rig.clock() == START + timedelta(hours=29)
        assert len(rig.loop.state.records) == 30
        assert rig.loop.state.stories
        flagged = row(store, "a100")
        assert (flagged.date_flag, flagged.claimed_at) == ("future", TODAY)
        assert flagged.published_at == START + timedelta(hours=10)
        again = stream(store)  # a new process knows the same time
        assert again.clock() == rig.clock()


def test_one_source_cannot_lead_the_clock_away_step_by_step(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = stream(store)
        rig.accept(*(by(n, f"paper{n % 4}") for n in range(1, 9)))
        for step in range(1, 40):
            moment = START + step * timedelta(days=6)
            rig.accept(by(100 + step, "liar", published_at=moment))
        assert rig.clock() <= START + timedelta(hours=8) + timedelta(days=7)


def test_a_gap_in_a_stream_is_passed_when_several_sources_say_so(url: str) -> None:
    later = START + 90 * DAY
    with opened(url) as store:
        rig = stream(store)
        rig.accept(*(by(n, f"paper{n % 4}") for n in range(1, 9)))
        after = [
            by(50 + n, f"paper{n % 4}", published_at=later + timedelta(hours=n))
            for n in range(6)
        ]
        for each in after:
            rig.accept(each)
        assert rig.clock() == later + timedelta(hours=5)
        flags = [row(store, a.id).date_flag for a in after]
        assert flags == ["future", "future", None, None, None, None]


def test_a_stream_of_one_source_passes_a_gap_too(sqlite_url: str) -> None:
    later = START + 90 * DAY
    with opened(sqlite_url) as store:
        rig = stream(store)
        rig.accept(*(article(n, source=None) for n in range(1, 9)))
        for n in range(5):
            moment = later + timedelta(hours=n)
            rig.accept(article(50 + n, source=None, published_at=moment))
        assert rig.clock() == later + timedelta(hours=4)


def copied(store: Store, heard: datetime | None) -> tuple[ArticleRow, ArticleRow]:
    """Have two feeds bring one text in one slide; the second claims to be older."""
    clock = Hand(START + timedelta(hours=12))
    rig = Rig(store, clock)
    with store.write() as connection:
        rows = [
            FeedRow(url=url, added_at=START, last_ok=heard) for url in (HONEST, FORGER)
        ]
        add_feeds(connection, rows)
    now = clock.time
    honest = article(1, text=TEXT, url="https://honest.example/1", published_at=now)
    honest = replace(honest, source="honest.example", fetched_at=now)
    clock.move(minutes=10)
    forged = replace(
        honest,
        id="a2",
        url="https://forger.example/1",
        source="forger.example",
        published_at=now - timedelta(minutes=90),
        fetched_at=clock.time,
    )
    rig.intake.accept([honest], HONEST)
    rig.intake.accept([forged], FORGER)
    clock.move(days=1)
    rig.loop.catch_up()
    return row(store, "a1"), row(store, "a2")


TEXT = (
    "The harbour of Kestrel was closed by a storm that took the roofs of forty houses. "
    "Ferries waited off the coast until the wind had turned, the harbour master said. "
    "Nobody was hurt, and the market opened on the next morning as it does."
)


def test_a_copy_that_claims_to_be_older_is_not_the_original(url: str) -> None:
    with opened(url) as store:
        heard = START + timedelta(hours=11, minutes=45)
        honest, forged = copied(store, heard)
        assert (honest.copy_of, forged.copy_of) == (None, "a1")
        assert forged.date_flag == "backdated"
        assert forged.published_at < honest.published_at  # its claim stays what it is
        assert honest.story is not None
        with store.read() as connection:
            told = stories_by_id(connection, [honest.story])[honest.story]
        assert told.first_seen == honest.published_at


def test_a_date_from_before_a_feed_was_ever_read_is_believed(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        honest, other = copied(store, None)
        assert (honest.copy_of, other.copy_of) == ("a2", None)
        assert other.date_flag is None


def test_a_backdated_copy_of_a_later_slide_does_not_move_first_seen(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        clock = Hand(START + timedelta(hours=30))
        rig = Rig(store, clock)
        at = START + timedelta(hours=29)
        one = article(1, text=TEXT, published_at=at)
        two = article(
            2, "Storm closes Kestrel harbour", text=TEXT[:170], published_at=at
        )
        rig.accept(one, two)
        clock.move(days=1)
        rig.loop.catch_up()
        older = replace(one, id="b", url="https://other.example/b", source="Other")
        rig.accept(replace(older, published_at=START + timedelta(hours=2)))
        clock.move(days=1)
        rig.loop.catch_up()
        assert row(store, "b").copy_of == "a1"
        story = row(store, "b").story
        assert story is not None
        with store.read() as connection:
            told = stories_by_id(connection, [story])[story]
        assert told.first_seen == at
