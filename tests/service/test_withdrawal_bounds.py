"""A withdrawal takes what it names, keeps the rest, and what it took stays away."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, select, text, update

from tests.service.running import (
    DAY,
    ORIGIN,
    Rig,
    article,
    opened,
)
from tests.service.withdrawing import SECRET, news, told
from ustory.service.intake import WITHDRAWN
from ustory.service.withdrawal import WithdrawalRule
from ustory.store import Store
from ustory.store.listing import changes, days_of_story, stories_by_id
from ustory.store.problems import add_problem
from ustory.store.results import write_stories
from ustory.store.tables import (
    StoryDay,
    StoryRow,
    Watchlist,
    articles,
    deliveries,
    matches,
    problems,
)
from ustory.store.watchlists import put_watchlist
from ustory.store.withdraw import backups_beside, scrub


def test_what_was_stored_under_another_id_does_not_come_back(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.intake.accept([article(1, id="x", url=None)], "first")
        given = article(2, id="x", url=None)
        [receipt] = rig.intake.accept([given], "second")
        assert receipt.article.startswith("o:")
        rig.loop.withdraw(WithdrawalRule("article", receipt.article))
        [again] = rig.intake.accept([replace(given, text="Another text.")], "second")
        assert (again.outcome, again.reason) == ("refused", WITHDRAWN)
        [other] = rig.intake.accept([replace(given, text="More text.")], "third")
        assert other.outcome == "new"


def test_what_was_stored_by_its_page_does_not_come_back(sqlite_url: str) -> None:
    page = "https://news.example/live"
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.accept(article(1, url=f"{page}#a"))
        with store.write() as connection:  # as releases before fragments counted did
            connection.execute(update(articles).values(address=page))
        rig.loop.withdraw(WithdrawalRule("article", "a1"))
        [again] = rig.accept(article(1, url=f"{page}#a", text="Another text."))
        assert (again.outcome, again.reason) == ("refused", WITHDRAWN)
        [other] = rig.accept(article(2, url=f"{page}#b"))
        [whole] = rig.accept(article(3, url=page))
        assert (other.outcome, whole.outcome) == ("new", "new")


def of_secret(store: Store) -> tuple[StoryRow, list[StoryDay]]:
    """Return the story of the articles to withdraw, and its days."""
    with store.read() as connection:
        named = select(articles.c.story).where(articles.c.id == "zqx-0")
        name = connection.execute(named).scalar_one()
        return stories_by_id(connection, [name])[name], days_of_story(connection, name)


@pytest.mark.parametrize("ended", [False, True])
def test_what_retention_left_of_a_story_stays_and_followers_hear_of_it(
    sqlite_url: str, ended: bool
) -> None:
    with opened(sqlite_url) as store:
        rig = told(store, upto=30)
        row, days = of_secret(store)
        early = days[0].day - 9
        older = replace(row, first_seen=row.first_seen - 9 * DAY)
        kept = StoryDay(
            story=row.id, day=early, articles=4, sources=2, keywords=("storm",)
        )
        with store.write() as connection:  # as a long story has it after retention
            write_stories(connection, [older], [kept])
        if ended:
            rig.intake.accept(
                [article(1, published_at=news()[29].published_at + 7 * DAY)], ORIGIN
            )
            rig.loop.finish()
        done = rig.loop.slide
        rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
        with store.read() as connection:
            after = stories_by_id(connection, [row.id])[row.id]
            assert days_of_story(connection, row.id)[0] == kept
            heard = [each.id for each in changes(connection, done).items]
        assert after.first_seen == older.first_seen
        assert row.id in heard
        assert after.changed_slide == done + 1


def test_a_story_that_merged_twice_is_told_of_the_articles_it_ended_in(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        rig = told(store, upto=30)
        row, _ = of_secret(store)
        secret = next(a.title for a in news() if a.id == "zqx-0")
        middle = replace(row, id="middle", status="merged", merged_into=row.id)
        first = replace(
            middle, id="first", merged_into="middle", headline=secret, inside=0
        )
        with store.write() as connection:
            write_stories(connection, [middle, first])
        rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
        with store.read() as connection:
            told_again = stories_by_id(connection, ["first"])["first"]
            query = select(articles.c.title).where(articles.c.story == row.id)
            assert told_again.headline in connection.execute(query).scalars().all()
        assert told_again.merged_into == "middle"


def test_a_short_id_takes_no_message_along_that_does_not_name_it(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        short = article(1, "Xi", id="1", url="https://news.example/1")
        rig.accept(short, article(2), article(3))
        rig.loop.finish()
        now = rig.clock()
        bodies = {
            "other": {"article": "a2", "story": {"headline": "Xi in 1 day"}, "at": "1"},
            "named": {"article": "1", "story": {"headline": "Storm"}},
            "headline": {"article": "a2", "story": {"headline": "Xi"}},
        }
        # the same as events, which have what was found one level deeper
        event_of = {"specversion": "1.0", "id": "1", "text": "W: Xi in 1 day"}
        events = {
            f"{name} event": {**event_of, "data": bodies[name]} for name in bodies
        }
        bodies |= events
        said = {
            "disk 12% free": True,
            "feed 1 of 3 failed": True,
            "Xining is not a language": True,
            "article 1 is odd": False,
            "the title 'Xi' is odd": False,
            "refused: https://news.example/1?": False,
        }
        with store.write() as connection:
            write_stories(
                connection,
                [
                    StoryRow(
                        id="s",
                        first_seen=now,
                        last_seen=now,
                        born_at=now,
                        born_slide=1,
                        changed_slide=1,
                        status="expired",
                    )
                ],
            )
            for number, (name, body) in enumerate(bodies.items(), 900):
                put_watchlist(connection, Watchlist(id=name, name="W", created_at=now))
                connection.execute(
                    matches.insert().values(
                        id=number, watchlist=name, story="s", slide=1, at=now
                    )
                )
                connection.execute(
                    deliveries.insert().values(
                        id=name, watchlist=name, match=number, body=body, attempts=0,
                        url="https://x.example/", next_at=now, status="due",
                    )
                )  # fmt: skip
            for each in said:
                add_problem(connection, now, "feed", "refused", each)
        rig.loop.withdraw(WithdrawalRule("article", "1"))
        with store.read() as connection:
            left = connection.execute(select(deliveries.c.id)).scalars().all()
            kept = connection.execute(select(problems.c.message)).scalars().all()
        assert sorted(left) == ["other", "other event"]
        assert kept == [each for each, stays in said.items() if stays]


def test_every_connection_overwrites_what_it_deletes(sqlite_url: str) -> None:
    def leave_bytes(connection: sqlite3.Connection, _: object) -> None:
        """Do as builds of SQLite do that overwrite nothing unless they are asked."""
        connection.execute("PRAGMA secure_delete=OFF").close()

    with opened(sqlite_url) as store:
        store.close()
        event.listen(store.engine, "connect", leave_bytes, insert=True)
        with store.read() as one, store.write() as two:
            for connection in (one, two):
                found = connection.execute(text("PRAGMA secure_delete")).scalar_one()
                assert found == 1


def test_a_log_that_somebody_reads_is_named_until_it_is_empty(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    log = file.with_name(file.name + "-wal")
    with opened(sqlite_url) as store:
        rig = told(store, upto=12)
        with store.read() as reader:
            assert reader.execute(select(articles.c.id)).all()
            assert rig.loop.withdraw(WithdrawalRule("source", "Gossip")).articles == 3
            assert SECRET.encode() in log.read_bytes()
            assert backups_beside(store) == [log]
            assert "still holds" in caplog.text
        scrub(store)
        assert log.stat().st_size == 0
        assert backups_beside(store) == []
