"""Watchlists find their stories once, and messages are due in the same transaction."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from tests.service.running import START, Rig, demo_articles, opened
from ustory.store import Store
from ustory.store.mapping import load_all
from ustory.store.tables import (
    Delivery,
    Match,
    StoryRow,
    Watchlist,
    deliveries,
    matches,
    stories,
)
from ustory.store.watchlists import put_watchlist, remove_watchlist

QUAKE = Watchlist(
    id="quake",
    name="Earthquakes",
    created_at=START,
    keywords=("earthquakes",),
    webhook="https://hook.example/quake",
)


def put(store: Store, *lists: Watchlist) -> None:
    with store.write() as connection:
        for each in lists:
            put_watchlist(connection, each)


def matches_in(store: Store) -> list[Match]:
    with store.read() as connection:
        return load_all(connection, select(matches).order_by(matches.c.id), Match)


def deliveries_in(store: Store) -> list[Delivery]:
    with store.read() as connection:
        return load_all(connection, select(deliveries), Delivery)


def headline(store: Store, story: str) -> str:
    with store.read() as connection:
        query = select(stories).where(stories.c.id == story)
        return load_all(connection, query, StoryRow)[0].headline


def test_a_keyword_finds_its_stories_once_each(url: str) -> None:
    with opened(url) as store:
        put(store, QUAKE)
        rig = Rig(store)
        for first in range(0, 122, 20):
            rig.accept(*demo_articles()[first : first + 20])
            rig.loop.catch_up()
        rig.loop.finish()
        found = matches_in(store)
        assert len({match.story for match in found}) == len(found) >= 2
        by = {each.id: each for each in demo_articles()}
        for match in found:
            assert match.article is None or "quake" in by[match.article].title.lower()
        due = deliveries_in(store)
        assert {each.match for each in due} == {match.id for match in found}
        assert all(each.status == "due" and each.attempts == 0 for each in due)


@pytest.mark.parametrize("form", ["cloudevents", "plain"])
def test_a_message_says_what_was_found(sqlite_url: str, form: str) -> None:
    with opened(sqlite_url) as store:
        put(store, replace(QUAKE, webhook_format=form))
        rig = Rig(store)
        rig.loop.watcher.site = "https://news.example/"
        rig.accept(*demo_articles()[:30])
        rig.loop.finish()
        message = deliveries_in(store)[0]
        match = matches_in(store)[0]
        assert message.id == f"quake.{match.story}"
        assert message.url == QUAKE.webhook
        body = message.body if form == "plain" else message.body["data"]
        assert body["watchlist"] == {"id": "quake", "name": "Earthquakes"}
        assert body["story"]["id"] == match.story
        assert body["slide"] == match.slide
        assert body["at"].endswith("Z")
        if form == "cloudevents":
            page = f"https://news.example/stories/{match.story}"
            assert message.body["url"] == page
            assert message.body["text"].endswith(page)
            assert body["story"]["headline"] in message.body["text"]
        else:
            assert body.keys() == {
                "kind", "watchlist", "story", "article", "slide", "at"
            }  # fmt: skip


def test_a_new_watchlist_looks_at_all_stories_of_the_window(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.accept(*demo_articles()[:40])
        rig.loop.finish()
        live = set(rig.loop.state.stories)
        put(store, replace(QUAKE, webhook=None))
        # a day in which nothing of the kind is reported
        rig.accept(
            replace(
                demo_articles()[0],
                id="quiet",
                url=None,
                title="Bakers win a prize",
                text="The bakers of Corvane won a prize for bread.",
                published_at=demo_articles()[39].published_at,
            )
        )
        rig.loop.finish()
        found = matches_in(store)
        assert found
        assert {match.story for match in found} <= live
        assert deliveries_in(store) == []


def test_a_keyword_of_several_words_is_a_phrase(sqlite_url: str) -> None:
    phrase = replace(QUAKE, id="phrase", keywords=("Kestrel Bay",))
    turned = replace(QUAKE, id="turned", keywords=("Bay Kestrel",))
    words = replace(QUAKE, id="words", keywords=("the",))
    with opened(sqlite_url) as store:
        put(store, phrase, turned, words)
        rig = Rig(store)
        rig.accept(*demo_articles()[:40])
        rig.loop.finish()
        assert {match.watchlist for match in matches_in(store)} == {"phrase"}


@pytest.mark.parametrize("number", [0, 4])
def test_an_example_finds_the_story_it_would_join(sqlite_url: str, number: int) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.accept(*demo_articles()[:40])
        rig.loop.finish()
        record = rig.loop.state.records[demo_articles()[number].id]
        assert record.decision is not None
        example = demo_articles()[number]
        put(
            store,
            replace(QUAKE, id="like", keywords=(), example=f"{example.text}"),
        )
        rig.accept(*demo_articles()[40:50])
        rig.loop.finish()
        [match] = matches_in(store)
        assert match.story == record.decision.story
        assert headline(store, match.story)


def test_a_watchlist_that_is_inactive_or_gone_finds_nothing(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        put(store, replace(QUAKE, active=False), replace(QUAKE, id="gone"))
        with store.write() as connection:
            assert remove_watchlist(connection, "gone")
        rig = Rig(store)
        rig.accept(*demo_articles()[:40])
        rig.loop.finish()
        assert matches_in(store) == []
