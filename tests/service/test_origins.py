"""An article is changed by whoever brought it, and nobody speaks in another's name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import delete

from tests.service.running import DAY, START, Hand, Rig, article, ids_in, opened
from ustory.core.article import Article
from ustory.sources.origins import (
    Sites,
    is_claimed,
    may_edit,
    reporter,
    shown,
    speaks_for,
)
from ustory.store import Store
from ustory.store.articles import article as stored
from ustory.store.articles import revisions_of
from ustory.store.feeds import add_feeds
from ustory.store.listing import stories_by_id
from ustory.store.tables import ArticleRow, FeedRow, snapshots

VICTIM = "https://www.victim.example/feed"
OTHER = "https://evil.example/feed"
PAGE = "https://www.victim.example/economy/rate"


def rate(**fields: object) -> Article:
    given: dict[str, object] = {"url": PAGE, "source": "victim.example"}
    return article(1, "Central bank leaves its rate alone", **{**given, **fields})


def forged(**fields: object) -> Article:
    link = f"{PAGE}?utm_source=x#top"
    text = "Withdraw your money now, all of it, from every bank."
    return replace(
        rate(url=link, text=text, **fields), id="u:forged", title="Bank COLLAPSES"
    )


def sent(rig: Rig, origin: str, *given: Article) -> list[str]:
    return [receipt.outcome for receipt in rig.intake.accept(given, origin)]


def row(store: Store, name: str) -> ArticleRow:
    with store.read() as connection:
        found = stored(connection, name)
    assert found is not None
    return found


def test_a_feed_cannot_rewrite_the_article_of_another_publisher(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store, Hand(START))
        assert sent(rig, VICTIM, rate()) == ["new"]
        [receipt] = rig.intake.accept([forged()], OTHER)
        assert receipt.outcome == "known"
        assert "another origin" in str(receipt.reason)
        assert ids_in(store) == ["a1"]
        kept = row(store, "a1")
        assert (kept.title, kept.edits, kept.origin) == (rate().title, 0, VICTIM)
        with store.read() as connection:
            assert len(revisions_of(connection, "a1")) == 1
        assert sent(rig, VICTIM, replace(rate(), title="Rate raised")) == ["edited"]


def test_a_site_takes_back_what_another_said_in_its_name(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store, Hand(START))
        assert sent(rig, OTHER, forged(source="victim.example")) == ["new"]
        [name] = ids_in(store)
        assert is_claimed(row(store, name).source, row(store, name).origin)
        assert sent(rig, VICTIM, rate()) == ["edited"]
        assert row(store, name).origin == VICTIM
        assert row(store, name).title == rate().title
        again = replace(forged(), text="Yet another lie about the bank.")
        assert sent(rig, OTHER, again) == ["known"]
        assert row(store, name).title == rate().title


def late(rig: Rig, clock: Hand) -> str:
    """Let a site write its own text when the slide of the article is done."""
    feed = FeedRow(url=VICTIM, added_at=START)
    with rig.store.write() as connection:
        add_feeds(connection, [feed])
    for number in range(2, 6):
        sent(rig, OTHER, article(number, source="victim.example"))
    assert sent(rig, OTHER, forged(source="victim.example")) == ["new"]
    clock.move(days=1)
    rig.loop.catch_up()
    assert sent(rig, VICTIM, rate(source="Victim News")) == ["edited"]
    return ids_in(rig.store)[-1]


def test_a_site_that_comes_late_has_the_last_word_and_the_source_stays(
    url: str,
) -> None:
    with opened(url) as store:
        clock = Hand(START + DAY / 2)
        rig = Rig(store, clock)
        name = late(rig, clock)
        kept = row(store, name)
        assert kept.title == rate().title
        assert (kept.origin, kept.source) == (OTHER, "victim.example")
        again = replace(forged(), text="Yet another lie about the bank.")
        [receipt] = rig.intake.accept([again], OTHER)
        assert receipt.outcome == "known"
        assert "own site" in str(receipt.reason)
        assert row(store, name).title == rate().title
        mended = replace(rate(), title="Central bank raises its rate")
        assert sent(rig, VICTIM, mended) == ["edited"]


def test_a_replay_sees_the_source_that_the_slide_saw(url: str) -> None:
    with opened(url) as store:
        clock = Hand(START + DAY / 2)
        rig = Rig(store, clock)
        late(rig, clock)
        early = article(8, published_at=clock.time, url=f"{PAGE}/8")
        assert sent(rig, OTHER, early) == ["new"]
        assert sent(rig, VICTIM, replace(early, title="Its own words")) == ["edited"]
        assert row(store, "a8").origin == VICTIM  # for its slide is still open
        clock.move(days=1)
        rig.loop.catch_up()
        with store.write() as connection:
            connection.execute(delete(snapshots))
        again = Rig(store, clock)
        freeze = rig.loop.runner.engine.freeze
        assert again.loop.slide == rig.loop.slide
        assert freeze(again.loop.state) == freeze(rig.loop.state)


def test_a_feed_of_another_site_edits_while_the_sites_own_is_not_read(
    url: str,
) -> None:
    with opened(url) as store:
        rig = Rig(store, Hand(START))
        assert sent(rig, OTHER, rate()) == ["new"]
        assert sent(rig, OTHER, replace(rate(), title="Rate raised")) == ["edited"]
        assert sent(rig, "api:desk", article(2)) == ["new"]
        own = FeedRow(url="https://news.example/rss", added_at=START)
        with store.write() as connection:
            add_feeds(connection, [FeedRow(url=VICTIM, added_at=START), own])
        assert sent(rig, OTHER, replace(rate(), title="Rate cut")) == ["known"]
        # a key is the operator's own, and no feed
        assert sent(rig, "api:desk", replace(article(2), title="Calm")) == ["edited"]


def test_a_text_had_first_does_not_keep_its_publishers_own_out(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))
        elsewhere = rate(url="https://www.victim.example/never/written")
        assert sent(rig, OTHER, replace(elsewhere, id="b")) == ["new"]
        assert sent(rig, VICTIM, rate()) == ["new"]
        assert row(store, "a1").url == PAGE


def test_an_id_means_something_only_to_the_origin_that_gave_it(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store, Hand(START))
        mine = rate(url=None)
        theirs = replace(mine, text="Something else entirely, under the same id.")
        assert sent(rig, "api:desk", mine) == ["new"]
        [receipt] = rig.intake.accept([theirs], "api:stranger")
        assert receipt.outcome == "new"
        assert receipt.article != mine.id
        assert row(store, "a1").edits == 0
        edit = replace(theirs, text="And its own edit of that.")
        [again] = rig.intake.accept([edit], "api:stranger")
        assert (again.outcome, again.article) == ("edited", receipt.article)
        mended = replace(mine, text="An edit by the key that brought it.")
        assert sent(rig, "api:desk", mended) == ["edited"]


def test_what_was_sent_before_keys_had_names_can_still_be_edited() -> None:
    assert may_edit("api:desk", "api", None)
    assert not may_edit("api", "api:desk", None)
    assert not may_edit("https://api.example/feed", "api", None)


@pytest.mark.parametrize(
    ("origin", "address", "may"),
    [
        ("https://news.org/feed", "https://www.news.org/a", True),
        ("https://www.news.org/feed", "https://live.news.org/a", True),
        ("https://mallory.news.org/feed", "https://news.org/a", False),
        ("https://news.org.evil.example/feed", "https://news.org/a", False),
        ("https://ews.org/feed", "https://news.org/a", False),
        ("stream.jsonl", "https://news.org/a", False),
        ("https://news.org/feed", None, False),
    ],
)
def test_a_feed_speaks_for_its_own_site(
    origin: str, address: str | None, may: bool
) -> None:
    assert speaks_for(origin, address) is may
    assert Sites([origin]).speak_for(address) is may


def test_sources_that_a_feed_only_claims_count_as_the_site_that_was_fetched(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        clock = Hand(START + DAY / 2)
        rig = Rig(store, clock)
        for number in range(1, 7):
            site = f"paper{number}.example"
            link = f"https://{site}/{number}"
            sent(rig, OTHER, article(number, url=link, source=site))
        assert reporter("paper1.example", OTHER) == "evil.example"
        clock.move(days=1)
        rig.loop.catch_up()
        [story] = rig.loop.state.stories
        with store.read() as connection:
            told = stories_by_id(connection, [story])[story]
        assert told.articles == 6
        assert told.sources == 1


def test_names_that_were_fetched_come_before_claimed_ones(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        clock = Hand(START + DAY / 2)
        rig = Rig(store, clock)
        for number in range(1, 4):
            link = f"https://big.example/{number}"
            sent(rig, OTHER, article(number, url=link, source="big.example"))
        sent(rig, VICTIM, article(4, url=PAGE, source="victim.example"))
        clock.move(days=1)
        rig.loop.catch_up()
        [story] = rig.loop.state.stories
        with store.read() as connection:
            told = stories_by_id(connection, [story])[story]
        assert told.top_sources == ("victim.example", "big.example")


def test_what_may_be_secret_in_an_address_is_not_shown() -> None:
    whole = "https://me:secret@news.org:8443/feed.xml?token=1#x"
    assert shown(whole) == "https://news.org/feed.xml"
    token = "https://news.org/0a1b2c3d4e5f6a7b8c9d/feed.xml"
    assert shown(token) == "https://news.org/***/feed.xml"
    assert shown("api:desk") == "api:desk"
