"""A text that comes after the slide of its article is linked anew by the next, once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import select

from tests.engine.correcting import ALONE, CUP, QUAKE
from tests.service.running import (
    START,
    Hand,
    Rig,
    article,
    kinds_in,
    opened,
    outcome,
    pipeline,
)
from ustory.core.article import Article
from ustory.core.errors import StateError
from ustory.service.recovery import task_of
from ustory.service.settings import live_settings
from ustory.service.verify import replay
from ustory.service.withdrawal import WithdrawalRule
from ustory.store import Store
from ustory.store.articles import article as stored
from ustory.store.articles import revisions_of
from ustory.store.corrections import MAX_CORRECTING_SLIDES, corrections_of_slide
from ustory.store.listing import story as story_of
from ustory.store.results import decisions_of, events_of_slide
from ustory.store.slides import last_done
from ustory.store.slides import slide as slide_row
from ustory.store.tables import ArticleRow, events
from ustory.testing import TinyEncoder

TOLD = (*QUAKE[:3], *CUP[:3])
"""Articles a0 to a2 tell of a quake, a3 to a5 of a cup."""


def told(number: int, text: str) -> Article:
    """Return an article with this text; its title is the first words."""
    return article(number, title=" ".join(text.split()[:8]), text=text)


def begun(store: Store) -> Rig:
    """Return a service that has done the first day, in the middle of the second."""
    rig = Rig(store, Hand(START + timedelta(hours=23)))
    rig.accept(*(told(n, text) for n, text in enumerate(TOLD)))
    hand(rig).move(hours=12)
    rig.loop.catch_up()
    assert rig.loop.slide == 1
    return rig


def hand(rig: Rig) -> Hand:
    assert isinstance(rig.clock, Hand)
    return rig.clock


def next_day(rig: Rig) -> None:
    hand(rig).move(days=1)
    rig.loop.catch_up()


def row(rig: Rig, name: str) -> ArticleRow:
    with rig.store.read() as connection:
        found = stored(connection, name)
    assert found is not None
    return found


def checked(store: Store) -> Sequence[str]:
    return replay(store, encoder=TinyEncoder(), pipeline=pipeline()).problems


def test_a_corrected_article_moves_to_its_story_in_one_slide(url: str) -> None:
    with opened(url) as store:
        rig = begun(store)
        quake, cup = row(rig, "a0").story, row(rig, "a3").story
        assert quake is not None
        assert cup is not None
        assert row(rig, "a2").story == quake != cup

        (receipt,) = rig.accept(told(2, CUP[3]))
        assert (receipt.outcome, receipt.article) == ("edited", "a2")
        assert row(rig, "a2").story == quake  # until the slide is over
        next_day(rig)

        found = row(rig, "a2")
        assert (found.story, found.how, found.slide) == (cup, "moved", 1)
        with store.read() as connection:
            (moved,) = events_of_slide(connection, 2)
            left, joined = story_of(connection, quake), story_of(connection, cup)
            newest, first = decisions_of(connection, "a2")
        assert (moved.kind, moved.story, moved.articles) == ("moved", cup, ("a2",))
        assert left is not None
        assert joined is not None
        assert (left.story.articles, joined.story.articles) == (2, 4)
        assert (left.story.inside, joined.story.inside) == (2, 4)
        assert (newest.slide, first.slide) == (2, 1)
        assert checked(store) == ()


def test_it_is_linked_anew_once(url: str) -> None:
    with opened(url) as store:
        rig = begun(store)
        rig.accept(told(2, CUP[3]))
        next_day(rig)
        serial = rig.loop.state.link.articles["a2"].serial
        rig.accept(told(2, CUP[3]), told(30, ALONE))  # the same text again is known

        next_day(rig)

        assert rig.loop.slide == 3
        assert rig.loop.state.link.articles["a2"].serial == serial
        assert kinds_in(store) == ["born", "born", "moved"]


def test_a_small_correction_changes_nothing_but_the_text(url: str) -> None:
    with opened(url) as store:
        rig = begun(store)
        before, small = rig.loop.state, told(2, QUAKE[2].replace("eleven", "twelve"))

        (receipt,) = rig.accept(small)
        next_day(rig)

        assert receipt.outcome == "edited"
        assert rig.loop.state.link.next_serial == before.link.next_serial
        assert rig.loop.state.link.story == before.link.story
        assert rig.loop.state.records == before.records
        assert kinds_in(store) == ["born", "born"]
        with store.read() as connection:
            assert len(decisions_of(connection, "a2")) == 1
            assert [text.number for text in revisions_of(connection, "a2")] == [1, 2]
        assert checked(store) == ()


def test_a_correction_within_the_slide_is_the_text_of_the_slide(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store, Hand(START + timedelta(hours=23)))
        rig.accept(*(told(n, text) for n, text in enumerate(TOLD)))
        rig.accept(told(2, CUP[3]))
        next_day(rig)

        assert row(rig, "a2").story == row(rig, "a3").story
        assert kinds_in(store) == ["born", "born"]


def test_a_story_is_told_by_the_new_text_of_its_article(url: str) -> None:
    with opened(url) as store:
        rig = begun(store)
        cup = row(rig, "a3").story
        assert cup is not None
        for number in (3, 4, 5):
            rig.accept(told(number, CUP[3]))

        next_day(rig)

        with store.read() as connection:
            found = story_of(connection, cup)
        assert found is not None
        assert found.story.headline == " ".join(CUP[3].split()[:8])
        assert found.story.changed_slide == 2
        assert checked(store) == ()


def test_an_article_that_left_the_window_stays_in_its_story(url: str) -> None:
    with opened(url) as store:
        rig = begun(store)
        quake = row(rig, "a2").story
        hand(rig).move(days=9)
        rig.loop.catch_up()
        assert "a2" not in rig.loop.state.records
        kinds = kinds_in(store)

        (receipt,) = rig.accept(told(2, CUP[3]))
        next_day(rig)

        assert receipt.outcome == "edited"
        assert (row(rig, "a2").story, row(rig, "a2").how) == (quake, "seeded")
        assert kinds_in(store) == kinds
        assert checked(store) == ()


def test_of_several_texts_in_a_slide_the_newest_is_linked(url: str) -> None:
    with opened(url) as store:
        rig = begun(store)
        rig.accept(told(2, ALONE))
        rig.accept(told(2, CUP[3]))
        next_day(rig)

        assert row(rig, "a2").story == row(rig, "a3").story
        assert kinds_in(store) == ["born", "born", "moved"]
        assert checked(store) == ()


def test_a_page_that_changes_all_day_is_read_by_some_slides_and_keeps_few_texts(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START), settings=live_settings(slide=timedelta(hours=1)))
        rig.accept(*(told(n, text) for n, text in enumerate(TOLD)))
        texts = [f"{CUP[n % 2]} Version {n} of {40 * n} words." for n in range(60)]
        for text in texts:
            hand(rig).move(hours=1)
            rig.accept(told(2, text))
        rig.loop.finish()

        with store.read() as connection:
            kept = [t.number for t in revisions_of(connection, "a2") if t.text]
            read = [
                number
                for number in range(1, rig.loop.slide + 1)
                if corrections_of_slide(connection, number)
            ]
        assert len(read) == MAX_CORRECTING_SLIDES
        assert len(kept) <= rig.limits.texts + MAX_CORRECTING_SLIDES + 1
        assert row(rig, "a2").story == row(rig, "a3").story
        assert checked(store) == ()


def test_a_restart_in_between_comes_to_the_same(url: str) -> None:
    with opened(url) as store:
        rig = begun(store)
        rig.accept(told(2, CUP[3]))
        again = Rig(store, hand(rig))
        next_day(again)
        restarted = Rig(store, hand(rig))

        assert row(again, "a2").story == row(again, "a3").story
        assert restarted.loop.slide == 2
        assert restarted.loop.state.link.story == again.loop.state.link.story


def test_slides_computed_again_read_the_corrections_again(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(url) as store:
        rig = begun(store)
        rig.accept(told(2, CUP[3]))
        next_day(rig)
        before = outcome(store)
        with store.write() as connection:  # as if its snapshots were damaged
            connection.exec_driver_sql("DELETE FROM snapshots")

        again = Rig(store, hand(rig))

        assert again.loop.state.link.story == rig.loop.state.link.story
        assert outcome(store) == before
        monkeypatch.setattr("ustory.service.resume.METHOD", 99)
        monkeypatch.setattr("ustory.service.correct.METHOD", 99)
        upgraded = Rig(store, hand(rig))
        assert upgraded.loop.state.link.story["a2"] == row(rig, "a3").story


def test_a_text_that_retention_removed_is_named(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = begun(store)
        rig.accept(told(2, CUP[3]))
        next_day(rig)
        with store.write() as connection:
            connection.exec_driver_sql("UPDATE revisions SET text = NULL")
        with store.read() as connection:
            second = slide_row(connection, 2)
        assert second is not None

        with pytest.raises(StateError, match="'a2' was removed by retention"):
            task_of(store, second)


def test_a_withdrawn_article_is_not_corrected_back(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = begun(store)
        rig.accept(told(2, CUP[3]))
        next_day(rig)
        rig.loop.withdraw(WithdrawalRule("article", "a2"))

        (receipt,) = rig.accept(told(2, QUAKE[3]))
        next_day(rig)

        assert receipt.outcome == "refused"
        assert "a2" not in rig.loop.state.records
        with store.read() as connection:
            assert last_done(connection) is not None
            moved = select(events.c.id).where(events.c.kind == "moved")
            assert connection.execute(moved).all()
