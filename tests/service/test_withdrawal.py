"""What is withdrawn is gone: from tables, search, stories, states and bytes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.service.running import (
    ORIGIN,
    Rig,
    demo_articles,
    ids_in,
    opened,
    pipeline,
)
from tests.service.withdrawing import MODES, SECRET, everything, news, told
from ustory.core.errors import InputError
from ustory.service.feeding import stored_in
from ustory.service.retell import retell
from ustory.service.verify import replay
from ustory.service.withdrawal import WithdrawalRule
from ustory.store.backup import write_archive
from ustory.store.columns import canonical
from ustory.store.fulltext import ARTICLES, STORIES
from ustory.store.problems import add_problem
from ustory.store.results import decisions_of
from ustory.store.search_query import parse_query
from ustory.store.tables import (
    Watchlist,
    deliveries,
    events,
    matches,
    stories,
    story_days,
)
from ustory.store.upkeep import check
from ustory.store.watchlists import put_watchlist
from ustory.testing import TinyEncoder


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "rule",
    [
        WithdrawalRule("source", "Gossip"),
        WithdrawalRule("text", f"{SECRET.lower()}  smith"),
    ],
    ids=lambda rule: rule.kind,
)
def test_what_is_withdrawn_is_in_no_table_and_no_snapshot(
    url: str, rule: WithdrawalRule, mode: str
) -> None:
    with opened(url) as store:
        rig = told(store, mode)
        assert SECRET.lower() in everything(store)

        receipt = rig.loop.withdraw(rule)

        assert receipt.articles == 3
        assert SECRET.lower() not in everything(store)
        assert "zqx-" not in everything(store)
        with store.read() as connection:
            assert not len(ARTICLES.find(connection, parse_query(SECRET)))
            assert not len(STORIES.find(connection, parse_query(SECRET)))
        assert SECRET.lower().encode() not in rig.loop.runner.engine.freeze(
            rig.loop.state
        )
        assert check(store) == []


def test_one_article_and_an_origin_can_be_named(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = told(store)
        assert rig.loop.withdraw(WithdrawalRule("article", "zqx-1")).articles == 1
        assert "zqx-1" not in ids_in(store)
        assert "zqx-0" in ids_in(store)
        assert rig.loop.withdraw(WithdrawalRule("article", "zqx-1")).articles == 0
        assert (
            rig.loop.withdraw(WithdrawalRule("origin", ORIGIN)).articles
            == len(news()) - 1
        )
        assert ids_in(store) == []
        assert check(store) == []
        assert rig.loop.state.records == {}


def test_the_ledger_says_that_something_was_withdrawn_and_not_what(url: str) -> None:
    with opened(url) as store:
        rig = told(store)
        rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
        with store.read() as connection:
            query = select(events).where(events.c.kind == "withdrawn")
            [line] = connection.execute(query).all()
        assert line.details == {"articles": 3, "rule": "source"}
        assert "gossip" not in canonical(line.details).lower()
        assert (line.story, line.articles) == ("", [])


def test_withdrawn_articles_do_not_come_back(url: str) -> None:
    with opened(url) as store:
        rig = told(store)
        rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
        again = [a for a in news() if a.source == "Gossip"]
        other = replace(again[0], text="A new text at the same address.")
        moved = replace(again[1], url=None, id="another")
        for given in (*again, other, moved):
            [receipt] = rig.intake.accept([given], ORIGIN)
            assert receipt.outcome == "refused"
            assert "withdrawn" in str(receipt.reason)
        assert not [name for name in ids_in(store) if name.startswith("zqx")]


def test_a_feed_that_still_has_them_brings_no_trouble_and_no_fetching(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        rig = told(store)
        rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
        again = [a for a in news() if a.source == "Gossip"]
        receipts = rig.intake.accept(again, ORIGIN)
        assert not any(receipt.is_problem for receipt in receipts)
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
        rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
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
        rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
        retell(store, rig.loop.runner, rig.clock)
        assert SECRET.lower() not in everything(store)
        assert check(store) == []
        assert Rig(store).loop.state.records


def test_stories_are_told_of_the_articles_that_are_left(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = told(store, upto=30)
        with store.read() as connection:
            before = {r.id: r for r in connection.execute(select(stories))}
        rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
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
        rig.loop.withdraw(WithdrawalRule("text", SECRET))
        assert SECRET.lower() not in everything(store)
        assert check(store) == []


def test_what_waits_for_its_slide_is_withdrawn_too(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        rig.intake.accept(news()[:12], ORIGIN)
        assert rig.loop.slide == 0
        rig.loop.withdraw(WithdrawalRule("text", SECRET))
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
        rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
        assert SECRET.lower() not in everything(store)
        assert "something else" in everything(store)
        with store.read() as connection:
            assert connection.execute(select(matches.c.article)).scalars().all() == [
                None
            ]


def test_decisions_on_others_do_not_name_it(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = told(store)
        with store.read() as connection:
            named = [
                a for a in ids_in(store)
                if any("zqx-" in str(d.record) for d in decisions_of(connection, a))
            ]  # fmt: skip
        assert named
        rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
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
            rig.loop.withdraw(WithdrawalRule("source", "Gossip"))
            assert left() == []
    if offline:
        with opened(sqlite_url) as store:
            Rig(store).loop.withdraw(WithdrawalRule("source", "Gossip"))
        assert left() == []


def test_exports_hold_nothing_of_it(sqlite_url: str, tmp_path: Path) -> None:
    import gzip  # noqa: PLC0415

    with opened(sqlite_url) as store:
        told(store).loop.withdraw(WithdrawalRule("source", "Gossip"))
        with store.read() as connection:
            write_archive(connection, tmp_path / "archive")
    whole = gzip.decompress((tmp_path / "archive").read_bytes())
    assert SECRET.lower().encode() not in whole.lower()


@pytest.mark.parametrize(("kind", "value"), [("text", "  "), ("headline", "x")])
def test_a_rule_that_means_nothing_or_everything_is_refused(
    kind: str, value: str
) -> None:
    with pytest.raises(InputError, match="a withdrawal names"):
        WithdrawalRule(kind, value)
