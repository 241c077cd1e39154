"""After every slide the archive says what the engine says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from threading import Event as Signal
from threading import Thread

import pytest
from sqlalchemy import select

from tests.service.conftest import new_sqlite
from tests.service.running import (
    DAILY,
    DAY,
    START,
    Hand,
    Rig,
    article,
    demo_articles,
    kinds_in,
    opened,
    outcome,
    pipeline,
    tell_all,
)
from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.service.loop import SNAPSHOT_EVERY
from ustory.service.slide_schedule import calendar_of
from ustory.store import Store
from ustory.store.mapping import load_all
from ustory.store.slides import last_done, recent_slides
from ustory.store.snapshots import slides_kept
from ustory.store.tables import (
    ArticleRow,
    SlideRow,
    StoryDay,
    StoryRow,
    articles,
    decisions,
    slides,
    stories,
    story_days,
)
from ustory.stories.discovery import find_stories
from ustory.stories.live import members_of
from ustory.stories.rows import day_number
from ustory.testing import TinyEncoder


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    """Tell the demo stream, once for all tests that only look."""
    with opened(new_sqlite(tmp_path_factory.mktemp("told"))) as store:
        yield tell_all(store, demo_articles())


def stories_in(store: Store) -> dict[str, StoryRow]:
    with store.read() as connection:
        rows = load_all(connection, select(stories), StoryRow)
    return {row.id: row for row in rows}


def articles_in(store: Store) -> list[ArticleRow]:
    with store.read() as connection:
        return load_all(connection, select(articles), ArticleRow)


def test_the_stories_are_those_of_a_run_without_a_database(told: Rig) -> None:
    alone = find_stories(
        demo_articles(), DAILY, encoder=TinyEncoder(), pipeline=pipeline()
    )
    assert told.loop.runner.engine.freeze(told.loop.state) == (
        told.loop.runner.engine.freeze(alone.state)
    )
    rows = stories_in(told.store)
    for story in alone.stories():
        row = rows[story.id]
        assert row.status == "live"
        assert (row.articles, row.inside) == (story.total, len(story.articles))
        assert (row.sources, row.last_seen) == (story.sources, story.last_seen)
    live = {story for story, row in rows.items() if row.status == "live"}
    assert live == set(alone.state.stories)


def test_every_article_is_where_the_engine_put_it(told: Rig) -> None:
    for row in articles_in(told.store):
        assert not row.waiting
        record = told.loop.state.records.get(row.id)
        if record is not None:
            found = record.decision.story if record.decision is not None else None
            assert row.story == found


def test_every_placement_has_its_decision(told: Rig) -> None:
    with told.store.read() as connection:
        query = select(decisions).order_by(decisions.c.slide)
        newest = {row.article: row for row in connection.execute(query)}
    for row in articles_in(told.store):
        assert newest[row.id].story == row.story
        assert newest[row.id].record["how"] == row.how
        assert newest[row.id].record["confidence"] == row.confidence


def test_the_days_of_a_story_add_up_to_its_articles(told: Rig) -> None:
    with told.store.read() as connection:
        days = load_all(connection, select(story_days), StoryDay)
    counted = Counter(
        (row.story, day_number(row.published_at))
        for row in articles_in(told.store)
        if row.story is not None
    )
    assert {(day.story, day.day): day.articles for day in days} == dict(counted)
    assert all(day.keywords and day.central for day in days if day.articles)
    for story, row in stories_in(told.store).items():
        if row.status != "merged":
            own = sum(day.articles for day in days if day.story == story)
            assert own == row.articles


def test_a_story_is_described_by_its_articles(told: Rig) -> None:
    by_story: dict[str, list[ArticleRow]] = {}
    for row in articles_in(told.store):
        by_story.setdefault(row.story or "", []).append(row)
    for story, found in stories_in(told.store).items():
        if found.status == "merged":
            assert story not in by_story
            continue
        own = by_story[story]
        assert found.first_seen == min(row.published_at for row in own)
        assert found.last_seen == max(row.published_at for row in own)
        assert found.headline in {row.title for row in own}
        assert found.lang == "en"
        assert set(found.top_sources) <= {row.source for row in own}
        assert found.keywords


def test_heat_is_that_of_the_articles_in_the_window(told: Rig) -> None:
    state, rows = told.loop.state, stories_in(told.store)
    assert state.end is not None
    for story, records in members_of(state).items():
        warmth = sum(
            0.5 ** ((state.end - r.published_at) / timedelta(hours=12)) for r in records
        )
        assert 0 < rows[story].heat <= warmth + 1e-6
    assert all(row.heat == 0 for row in rows.values() if row.status != "live")


def test_slides_are_counted_and_the_last_states_kept(told: Rig) -> None:
    with told.store.read() as connection:
        rows = load_all(connection, select(slides).order_by(slides.c.number), SlideRow)
        kept = slides_kept(connection)
    assert all(row.status == "done" and row.digest for row in rows)
    assert sum(row.articles for row in rows) == len(demo_articles())
    assert kept[0] == rows[-1].number
    assert len(kept) == 3
    assert rows[-1].seconds["total"] > 0


def test_quiet_slides_end_stories_and_an_empty_window_is_passed_over(url: str) -> None:
    with opened(url) as store:
        clock = Hand(START)
        rig = Rig(store, clock)
        rig.accept(*(article(n) for n in (1, 2, 3)))
        clock.move(days=1)
        assert rig.loop.catch_up() == 1
        clock.move(days=400)
        assert rig.loop.catch_up() == 7  # the window is a week, and then empty
        assert kinds_in(store)[-1] == "expired"
        assert not rig.loop.state.records
        assert rig.loop.catch_up() == 0
        [receipt] = rig.accept(article(4))
        assert receipt.slide == 9
        assert all(row.status == "expired" for row in stories_in(store).values())


def test_after_downtime_the_missed_slides_are_told_in_order(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        clock = Hand(START)
        rig = Rig(store, clock)
        for number in range(20):
            clock.time = START + number * DAY
            rig.accept(article(number, published_at=clock.time))
        rig = Rig(store, clock)
        seen: list[int] = []
        rig.loop.on_done = lambda row: seen.append(row.number)
        clock.move(days=1)
        assert rig.loop.catch_up() == 20
        assert seen == list(range(1, 21))
        with store.read() as connection:
            assert slides_kept(connection) == [20, 2 * SNAPSHOT_EVERY, SNAPSHOT_EVERY]


def test_a_commit_that_broke_off_but_was_kept_is_noticed(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        one, other = Rig(store), Rig(store)
        one.accept(*demo_articles()[:30])
        other.loop.step()  # the same commit, as the first process never heard of it
        other.loop.step()
        one.loop.finish()
        assert one.loop.status().slide == 4
        whole = outcome(store)
    with opened(sqlite_url.replace(".db", "-b.db")) as store:
        tell_all(store, demo_articles()[:30])
        assert outcome(store) == whole


def test_an_article_older_than_the_window_is_kept_without_a_story(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START))
        rig.accept(article(1, published_at=START - 30 * DAY), article(2))
        rig.loop.finish()
        found = {row.id: row.how for row in articles_in(store)}
        assert found == {"a1": "late", "a2": "waiting"}


def test_an_article_without_a_sentence_does_not_hold_up_its_slide(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.accept(article(1), article(2, title="\u200b", text="\u200b"))
        rig.loop.finish()
        assert rig.loop.slide == 1
        assert rig.intake.waiting() == 0


def test_the_paper_s_mode_is_served_as_well(sqlite_url: str) -> None:
    settings = Settings.paper(slide=DAY, min_articles=2)
    with opened(sqlite_url) as store:
        rig = Rig(store, settings=settings)
        rig.accept(*demo_articles()[:60])
        rig.loop.finish()
        alone = find_stories(
            demo_articles()[:60], settings, encoder=TinyEncoder(), pipeline=pipeline()
        )
        rows = stories_in(store)
        live = {k: r.articles for k, r in rows.items() if r.status == "live"}
        assert live == {story.id: story.total for story in alone.stories()}
        assert live


def test_windows_by_number_are_refused_in_words() -> None:
    with pytest.raises(ConfigError, match="by time, such as 7d and 15m"):
        calendar_of(Settings(window=700, slide=100))


def test_the_loop_runs_until_it_is_stopped(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        stop = Signal()
        thread = Thread(target=rig.loop.run, args=(stop, 0.01))
        thread.start()
        rig.accept(*demo_articles()[:20])
        while rig.loop.slide < 2:
            assert not stop.wait(0.01)
        stop.set()
        thread.join(10)
        assert not thread.is_alive()
        with store.read() as connection:
            done = last_done(connection)
            newest = recent_slides(connection, 1)
        assert done is not None
        assert (done.number, newest[0].status) == (2, "open")


def test_a_bug_is_told_and_the_slide_tried_again(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.accept(*(replace(each, id=each.id) for each in demo_articles()[:12]))
        stop, tries = Signal(), []
        whole = rig.loop.runner.run

        def tell(*given: object) -> object:
            tries.append(given)
            if len(tries) == 1:
                raise RuntimeError("no such luck")
            return whole(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(rig.loop.runner, "run", tell)
        thread = Thread(target=rig.loop.run, args=(stop, 0.01))
        thread.start()
        while rig.loop.status().problem is None:
            assert not stop.wait(0.01)
        assert "RuntimeError: no such luck" in (rig.loop.status().problem or "")
        while rig.loop.status().problem is not None:
            assert not stop.wait(0.01)
        stop.set()
        thread.join(10)
        assert rig.loop.slide == 1
