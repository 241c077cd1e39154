"""What is withdrawn is gone: from tables, search, stories, states and bytes."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, select, text, update

from tests.live.running import (
    DAY,
    ORIGIN,
    Rig,
    article,
    demo_articles,
    ids_in,
    opened,
    pipeline,
)
from ustory.core.article import Article
from ustory.core.errors import InputError
from ustory.live.feeding import stored_in
from ustory.live.intake import WITHDRAWN
from ustory.live.retell import retell
from ustory.live.settings import live_settings
from ustory.live.verify import replay
from ustory.live.withdrawal import Rule
from ustory.store import Store
from ustory.store.archive import write_archive
from ustory.store.check import check
from ustory.store.columns import canonical
from ustory.store.listing import changes, days_of_story, stories_by_id
from ustory.store.problems import add_problem
from ustory.store.results import decisions_of, write_stories
from ustory.store.rows import StoryDay, StoryRow, Watchlist
from ustory.store.schema import (
    articles,
    deliveries,
    events,
    matches,
    problems,
    stories,
    story_days,
    tables,
)
from ustory.store.watchlists import put_watchlist
from ustory.store.withdraw import backups_beside, scrub
from ustory.store.words import ARTICLES, STORIES
from ustory.testing import TinyEncoder

SECRET = "Xanthipporelia"
MODES = {
    "links": live_settings(slide=DAY),
    "paper": live_settings(slide=DAY, mode="paper", min_articles=2),
}


def news() -> list[Article]:
    """Return a stream in which three articles of a story name somebody."""
    stream = list(demo_articles())
    first = stream[0]
    for number in range(3):
        stream.insert(
            5 + number,
            replace(
                first,
                id=f"zqx-{number}",
                url=f"https://gossip.example/{number}",
                source="Gossip",
                title=f"{SECRET} {first.title} {number}",
                text=f"{SECRET} Smith was there, said {number}. {first.text}",
                published_at=first.published_at + timedelta(hours=1 + number),
            ),
        )
    return sorted(stream, key=lambda a: a.published_at)


def told(store: Store, mode: str = "links", upto: int | None = None) -> Rig:
    rig = Rig(store, settings=MODES[mode])
    rig.intake.accept(news()[:upto], ORIGIN)
    rig.loop.finish()
    return rig


def everything(store: Store) -> str:
    """Return all rows of all tables, in words; snapshots as their bytes."""
    parts = []
    with store.read() as connection:
        for table in tables.sorted_tables:
            for row in connection.execute(select(table)):
                parts += [str(v) if not isinstance(v, bytes) else v.decode("latin-1")
                          for v in row]  # fmt: skip
    return "\n".join(parts).lower()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "rule",
    [
        Rule("source", "Gossip"),
        Rule("text", f"{SECRET.lower()}  smith"),
    ],
    ids=lambda rule: rule.kind,
)
def test_what_is_withdrawn_is_in_no_table_and_no_snapshot(
    url: str, rule: Rule, mode: str
) -> None:
    with opened(url) as store:
        rig = told(store, mode)
        assert SECRET.lower() in everything(store)

        receipt = rig.loop.withdraw(rule)

        assert receipt.articles == 3
        assert SECRET.lower() not in everything(store)
        assert "zqx-" not in everything(store)
        with store.read() as connection:
            assert ARTICLES.find(connection, SECRET, 10) == []
            assert STORIES.find(connection, SECRET, 10) == []
        assert SECRET.lower().encode() not in rig.loop.teller.engine.freeze(
            rig.loop.state
        )
        assert check(store) == []


def test_one_article_and_an_origin_can_be_named(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = told(store)
        assert rig.loop.withdraw(Rule("article", "zqx-1")).articles == 1
        assert "zqx-1" not in ids_in(store)
        assert "zqx-0" in ids_in(store)
        assert rig.loop.withdraw(Rule("article", "zqx-1")).articles == 0
        assert rig.loop.withdraw(Rule("origin", ORIGIN)).articles == len(news()) - 1
        assert ids_in(store) == []
        assert check(store) == []
        assert rig.loop.state.records == {}


def test_the_ledger_says_that_something_was_withdrawn_and_not_what(url: str) -> None:
    with opened(url) as store:
        rig = told(store)
        rig.loop.withdraw(Rule("source", "Gossip"))
        with store.read() as connection:
            query = select(events).where(events.c.kind == "withdrawn")
            [line] = connection.execute(query).all()
        assert line.details == {"articles": 3, "rule": "source"}
        assert "gossip" not in canonical(line.details).lower()
        assert (line.story, line.articles) == ("", [])


def test_withdrawn_articles_do_not_come_back(url: str) -> None:
    with opened(url) as store:
        rig = told(store)
        rig.loop.withdraw(Rule("source", "Gossip"))
        again = [a for a in news() if a.source == "Gossip"]
        other = replace(again[0], text="A new text at the same address.")
        moved = replace(again[1], url=None, id="another")
        for given in (*again, other, moved):
            [receipt] = rig.intake.accept([given], ORIGIN)
            assert receipt.outcome == "refused"
            assert "withdrawn" in str(receipt.reason)
        assert not [name for name in ids_in(store) if name.startswith("zqx")]


def test_what_was_stored_under_another_id_does_not_come_back(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.intake.accept([article(1, id="x", url=None)], "first")
        given = article(2, id="x", url=None)
        [receipt] = rig.intake.accept([given], "second")
        assert receipt.article.startswith("o:")
        rig.loop.withdraw(Rule("article", receipt.article))
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
        rig.loop.withdraw(Rule("article", "a1"))
        [again] = rig.accept(article(1, url=f"{page}#a", text="Another text."))
        assert (again.outcome, again.reason) == ("refused", WITHDRAWN)
        [other] = rig.accept(article(2, url=f"{page}#b"))
        [whole] = rig.accept(article(3, url=page))
        assert (other.outcome, whole.outcome) == ("new", "new")


def test_a_feed_that_still_has_them_brings_no_trouble_and_no_fetching(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        rig = told(store)
        rig.loop.withdraw(Rule("source", "Gossip"))
        again = [a for a in news() if a.source == "Gossip"]
        receipts = rig.intake.accept(again, ORIGIN)
        assert not any(receipt.is_trouble for receipt in receipts)
        names = [article.id for article in again]
        assert stored_in(store)(names) == set(names)
        assert stored_in(store)(["unheard-of"]) == set()


@pytest.mark.parametrize("mode", MODES)
def test_the_service_goes_on_and_starts_again_after_a_withdrawal(
    url: str, mode: str
) -> None:
    half = len(news()) // 2
    with opened(url) as store:
        rig = told(store, mode, half)
        rig.loop.withdraw(Rule("source", "Gossip"))
        rig.intake.accept(news()[half:], ORIGIN)
        rig.loop.finish()
        assert rig.loop.state.stories
        assert check(store) == []
        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
        assert verdict.problems == ()
        assert verdict.slides > 0
        again = Rig(store, settings=MODES[mode])
        assert again.loop.slide == rig.loop.slide
        assert set(again.loop.state.records) == set(rig.loop.state.records)


def test_stories_can_be_computed_again_after_a_withdrawal(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = told(store)
        rig.loop.withdraw(Rule("source", "Gossip"))
        retell(store, rig.loop.teller, rig.clock)
        assert SECRET.lower() not in everything(store)
        assert check(store) == []
        assert Rig(store).loop.state.records


def test_stories_are_told_of_the_articles_that_are_left(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = told(store, upto=30)
        with store.read() as connection:
            before = {r.id: r for r in connection.execute(select(stories))}
        rig.loop.withdraw(Rule("source", "Gossip"))
        with store.read() as connection:
            after = {r.id: r for r in connection.execute(select(stories))}
            days = connection.execute(select(story_days)).all()
        assert set(after) == set(before)
        lost = [name for name in after if after[name].articles < before[name].articles]
        assert lost
        for row in after.values():
            assert SECRET not in row.headline
            assert SECRET.lower() not in " ".join(row.keywords)
            assert "Gossip" not in row.top_sources
        own = [day for day in days if day.story == lost[0]]
        assert sum(day.articles for day in own) == after[lost[0]].articles
        assert all(not str(day.central).startswith("zqx") for day in days)


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
        rig.loop.withdraw(Rule("source", "Gossip"))
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
        rig.loop.withdraw(Rule("source", "Gossip"))
        with store.read() as connection:
            told_again = stories_by_id(connection, ["first"])["first"]
            query = select(articles.c.title).where(articles.c.story == row.id)
            assert told_again.headline in connection.execute(query).scalars().all()
        assert told_again.merged_into == "middle"


def test_a_story_that_had_left_the_window_forgets_its_words_too(url: str) -> None:
    with opened(url) as store:
        rig = told(store, upto=30)
        later = replace(
            demo_articles()[-1], id="z", url=None, published_at=news()[0].published_at
        )
        rig.intake.accept(
            [replace(later, published_at=news()[29].published_at + timedelta(days=7))],
            ORIGIN,
        )
        rig.loop.finish()
        assert not any(name.startswith("zqx") for name in rig.loop.state.records)
        rig.loop.withdraw(Rule("text", SECRET))
        assert SECRET.lower() not in everything(store)
        assert check(store) == []


def test_what_waits_for_its_slide_is_withdrawn_too(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        rig.intake.accept(news()[:12], ORIGIN)
        assert rig.loop.slide == 0
        rig.loop.withdraw(Rule("text", SECRET))
        assert SECRET.lower() not in everything(store)
        rig.loop.finish()
        assert rig.loop.state.records
        assert check(store) == []


def test_messages_and_problems_that_name_it_go_too(url: str) -> None:
    with opened(url) as store:
        rig = told(store)
        now = rig.clock()
        title = next(a.title for a in news() if a.id == "zqx-0")
        with store.write() as connection:
            put_watchlist(connection, Watchlist(id="w", name="W", created_at=now))
            story = connection.execute(select(stories.c.id)).scalars().first()
            assert story is not None
            connection.execute(
                matches.insert().values(
                    id=900,
                    watchlist="w",
                    story=story,
                    article="zqx-0",
                    slide=1,
                    at=now,
                )
            )
            connection.execute(
                deliveries.insert().values(
                    id="d", watchlist="w", match=900, url="https://x.example/",
                    body={"story": {"headline": title}}, attempts=0, next_at=now,
                    status="due", last_error=None,
                )
            )  # fmt: skip
            add_problem(connection, now, "feed", "refused", f"article {title!r} odd")
            add_problem(connection, now, "feed", "refused", "something else")
        rig.loop.withdraw(Rule("source", "Gossip"))
        assert SECRET.lower() not in everything(store)
        assert "something else" in everything(store)
        with store.read() as connection:
            assert connection.execute(select(matches.c.article)).scalars().all() == [
                None
            ]


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
        rig.loop.withdraw(Rule("article", "1"))
        with store.read() as connection:
            left = connection.execute(select(deliveries.c.id)).scalars().all()
            kept = connection.execute(select(problems.c.message)).scalars().all()
        assert left == ["other"]
        assert kept == [each for each, stays in said.items() if stays]


def test_decisions_on_others_do_not_name_it(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = told(store)
        with store.read() as connection:
            named = [
                a for a in ids_in(store)
                if any("zqx-" in str(d.record) for d in decisions_of(connection, a))
            ]  # fmt: skip
        assert named
        rig.loop.withdraw(Rule("source", "Gossip"))
        with store.read() as connection:
            for name in ids_in(store):
                for decision in decisions_of(connection, name):
                    assert "zqx-" not in str(decision.record)


@pytest.mark.parametrize("offline", [False, True])
def test_no_byte_of_it_is_left_in_the_files_of_the_database(
    sqlite_url: str, offline: bool
) -> None:
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    words = (SECRET.encode(), SECRET.lower().encode(), b"zqx-0", b"gossip.example")

    def left() -> list[bytes]:
        held = b"".join(
            path.read_bytes() for path in file.parent.iterdir() if path.is_file()
        )
        return [word for word in words if word in held]

    with opened(sqlite_url) as store:
        rig = told(store)
        assert set(left()) == set(words)
        if not offline:
            rig.loop.withdraw(Rule("source", "Gossip"))
            assert left() == []
    if offline:
        with opened(sqlite_url) as store:
            Rig(store).loop.withdraw(Rule("source", "Gossip"))
        assert left() == []


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
            assert rig.loop.withdraw(Rule("source", "Gossip")).articles == 3
            assert SECRET.encode() in log.read_bytes()
            assert backups_beside(store) == [log]
            assert "still holds" in caplog.text
        scrub(store)
        assert log.stat().st_size == 0
        assert backups_beside(store) == []


def test_exports_hold_nothing_of_it(sqlite_url: str, tmp_path: Path) -> None:
    import gzip  # noqa: PLC0415

    with opened(sqlite_url) as store:
        told(store).loop.withdraw(Rule("source", "Gossip"))
        with store.read() as connection:
            write_archive(connection, tmp_path / "archive")
    whole = gzip.decompress((tmp_path / "archive").read_bytes())
    assert SECRET.lower().encode() not in whole.lower()


@pytest.mark.parametrize(("kind", "value"), [("text", "  "), ("headline", "x")])
def test_a_rule_that_means_nothing_or_everything_is_refused(
    kind: str, value: str
) -> None:
    with pytest.raises(InputError, match="a withdrawal names"):
        Rule(kind, value)
