"""What comes in is taken in once, and its slide is fixed when it is acknowledged."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest
from sqlalchemy import Connection, update

from tests.service.running import (
    DAY,
    ORIGIN,
    START,
    Hand,
    Rig,
    article,
    ids_in,
    opened,
    seqs_in,
)
from ustory.core.article import Article
from ustory.service.backpressure import Full
from ustory.service.intake import IntakeLimits
from ustory.store.articles import article as stored
from ustory.store.articles import revisions_of, texts_of_slide
from ustory.store.feeds import get_cursor
from ustory.store.slides import recent_slides
from ustory.store.tables import ArticleRow, articles


def outcomes(rig: Rig, *given: Article) -> list[str]:
    return [receipt.outcome for receipt in rig.accept(*given)]


def row(rig: Rig, name: str) -> ArticleRow:
    with rig.store.read() as connection:
        found = stored(connection, name)
    assert found is not None
    return found


def test_articles_are_numbered_in_their_order(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        receipts = rig.accept(article(1), article(2), cursor="2")
        assert [r.seq for r in receipts] == [1, 2]
        assert [r.slide for r in receipts] == [1, 1]
        assert ids_in(store) == ["a1", "a2"]
        assert row(rig, "a1").waiting
        with store.read() as connection:
            assert get_cursor(connection, ORIGIN) == "2"


def test_the_same_article_is_known_however_its_address_is_written(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        first = article(1, url="https://news.example/1?id=7")
        spelling = "http://NEWS.example:80/1/?utm_source=x&id=7#top"
        again = replace(first, id="other", url=spelling)
        assert outcomes(rig, first, again) == ["new", "known"]
        assert outcomes(rig, again) == ["known"]
        assert ids_in(store) == ["a1"]


def test_content_tells_an_article_without_an_address(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        first = article(1, url=None)
        same = replace(first, id="b", text=f"  {first.text}\n")
        other = replace(first, id="c", source="Another paper")
        assert outcomes(rig, first, same, other) == ["new", "known", "new"]
        assert ids_in(store) == ["a1", "c"]


def test_one_text_under_two_addresses_of_a_source_is_one_article(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        first = article(1)
        second = replace(first, id="b", url="https://news.example/mobile/1")
        assert outcomes(Rig(store), first, second) == ["new", "known"]


def test_an_edit_adds_a_text_and_never_an_article(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        first = article(1)
        edit = replace(first, title="Storm over", text="The storm is over.")
        assert outcomes(rig, first) == ["new"]
        assert outcomes(rig, edit, edit) == ["edited", "known"]
        assert outcomes(rig, first) == ["known"]  # a feed that is behind
        assert ids_in(store) == ["a1"]
        assert seqs_in(store) == [1, 2]
        found = row(rig, "a1")
        assert (found.title, found.edits) == ("Storm over", 1)
        with store.read() as connection:
            texts = revisions_of(connection, "a1")
        assert [text.number for text in texts] == [1, 2]
        assert texts[1].text == "The storm is over."


def test_an_edit_within_its_slide_is_what_the_slide_tells(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        first = article(1)
        rig.accept(first, replace(first, title="Storm over the bay"))
        rig.accept(article(30))  # the next day
        rig.accept(replace(first, title="Too late for its slide"))
        with store.read() as connection:
            [(_, text)] = texts_of_slide(connection, 1)
        assert text.title == "Storm over the bay"
        rig.loop.catch_up()
        assert rig.loop.slide == 1
        assert rig.loop.state.records["a1"].title == "Storm over the bay"
        rig.loop.finish()  # the next slide reads what came in it
        assert rig.loop.state.records["a1"].title == "Too late for its slide"
        assert row(rig, "a1").title == "Too late for its slide"
        assert row(rig, "a1").slide == 1


def test_two_articles_with_one_id_and_two_addresses_are_two(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        first = article(1)
        other = article(2, id="a1", text="Something else happened.")
        receipts = rig.accept(first, other)
        assert [r.outcome for r in receipts] == ["new", "new"]
        assert receipts[1].article.startswith("u:")
        assert outcomes(rig, other, first) == ["known", "known"]


def test_an_id_given_twice_without_an_address_is_an_edit(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        first = article(1, url=None)
        edit = replace(first, text="The storm is over.")
        assert outcomes(Rig(store), first, edit) == ["new", "edited"]


def test_the_clock_closes_slides_and_ranges_have_no_gap(url: str) -> None:
    with opened(url) as store:
        clock = Hand(START + timedelta(hours=23))
        rig = Rig(store, clock)
        rig.accept(article(1), article(2))
        clock.move(hours=2)
        rig.accept(article(3))
        clock.move(days=3)
        [last] = rig.accept(article(4))
        with store.read() as connection:
            slides = recent_slides(connection)[::-1]
        assert [s.first_seq for s in slides] == [1, 3, 4, 4, 4]
        assert [s.last_seq for s in slides] == [2, 3, 3, 3, None]
        assert [s.end - START for s in slides] == [DAY * n for n in (1, 2, 3, 4, 5)]
        assert last.slide == 5


@pytest.mark.parametrize("sizes", [[1] * 7, [7], [2, 2, 3], [4, 3]])
def test_which_slide_an_article_is_in_does_not_depend_on_batches(
    sqlite_url: str, sizes: list[int]
) -> None:
    stream = [article(n) for n in (1, 5, 30, 28, 55, 200, 201)]
    with opened(sqlite_url) as store:
        found = []
        for size in sizes:
            batch, stream = stream[:size], stream[size:]
            # a new process each time
            found += [receipt.slide for receipt in Rig(store).accept(*batch)]
    assert found == [1, 1, 2, 2, 3, 9, 9]


def test_a_full_slide_is_closed_early_and_the_next_goes_on(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, limits=IntakeLimits(slide=2))
        receipts = rig.accept(*(article(n) for n in range(5)))
        assert [r.slide for r in receipts] == [1, 1, 2, 2, 3]
        rig.loop.finish()
        with store.read() as connection:
            ends = {s.end for s in recent_slides(connection)}
        assert ends == {START + DAY}
        assert len(rig.loop.state.records) == 5


def test_too_many_articles_are_refused_and_none_is_taken_in(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START), limits=IntakeLimits(waiting=3))
        rig.accept(article(1), article(2))
        with pytest.raises(Full, match="2 articles wait") as full:
            rig.accept(article(3), article(4))
        assert full.value.retry_after == 900  # not before the slide is over
        assert ids_in(store) == ["a1", "a2"]
        rig.accept(article(3))
        rig.loop.finish()
        assert rig.intake.waiting() == 0
        rig.accept(*(article(n) for n in range(4, 9)))  # an empty queue takes any batch


def test_what_cannot_be_an_article_is_refused_alone(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        empty = article(1, title=" ", text="")
        naive = article(2, published_at=datetime(2024, 3, 4))  # noqa: DTZ001 - on purpose
        large = article(3, text="x" * 1_000_001)
        receipts = rig.accept(empty, naive, large, article(4))
        assert [r.outcome for r in receipts] == ["refused"] * 3 + ["new"]
        reasons = [r.reason or "" for r in receipts]
        assert "neither" in reasons[0]
        assert "time zone" in reasons[1]
        assert "1,000,000 bytes" in reasons[2]


def test_odd_characters_and_endless_fields_are_taken_in(url: str) -> None:
    odd = "\0 \ud800 \N{PILE OF POO}"
    given = article(
        1,
        id=f"id {odd}" + "x" * 5_000,
        title=f"Storm {odd}",
        text=f"Rain {odd}",
        url="https://news.example/" + "y" * 9_000,
        source=f"Paper {odd}" + "z" * 9_000,
        authors=(odd,),
        lang=odd,
    )
    with opened(url) as store:
        rig = Rig(store)
        assert outcomes(rig, given, given) == ["new", "known"]
        rig.loop.finish()
        assert outcomes(rig, given) == ["known"]


def test_dates_are_clamped_and_flagged(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store, Hand(START))
        future = article(1, published_at=START + timedelta(days=9))
        old = article(2, published_at=datetime(1975, 1, 1, tzinfo=UTC))
        none = article(3, published_at=START, fetched_at=START)
        rig.accept(future, old, none)
        rows = [row(rig, f"a{n}") for n in (1, 2, 3)]
        assert [r.date_flag for r in rows] == ["future", "old", "missing"]
        assert rows[0].published_at == START
        assert rows[0].claimed_at == future.published_at
        assert rows[2].claimed_at is None


def test_more_can_be_written_in_the_same_transaction(sqlite_url: str) -> None:
    def fail(connection: Connection) -> None:
        del connection
        raise RuntimeError("the caller's own trouble")

    with opened(sqlite_url) as store:
        rig = Rig(store)
        with pytest.raises(RuntimeError, match="own trouble"):
            rig.intake.accept([article(1)], ORIGIN, "1", also=fail)
        assert ids_in(store) == []
        assert rig.clock() < START  # nothing in memory has changed
        assert outcomes(rig, article(1)) == ["new"]


def test_many_threads_take_in_each_article_once(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store, Hand(START))
        stream = [article(n) for n in range(40)]

        def hand_in() -> None:
            for first in range(0, 40, 5):
                rig.accept(*stream[first : first + 5])

        threads = [Thread(target=hand_in) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(ids_in(store)) == sorted(each.id for each in stream)
        assert seqs_in(store) == list(range(1, 41))


def of_a_day(number: int, fragment: str) -> Article:
    return article(number, url=f"https://news.example/day{fragment}")


def test_entries_that_a_fragment_tells_apart_are_two_articles(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        entries = of_a_day(1, "#one"), of_a_day(2, "#two"), of_a_day(3, "")
        assert outcomes(rig, *entries) == ["new", "new", "new"]
        assert outcomes(rig, *entries) == ["known", "known", "known"]
        assert outcomes(rig, of_a_day(3, "#top")) == ["known"]


def test_articles_stored_without_their_fragment_are_known_again(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        rig.accept(of_a_day(1, "#one"))
        with store.write() as connection:  # as releases before did
            page = "https://news.example/day"
            connection.execute(update(articles).values(address=page))
        again = replace(of_a_day(1, "#one"), id="u:new", title="Edited")
        assert outcomes(rig, of_a_day(1, "#one"), again) == ["known", "edited"]
        assert outcomes(rig, of_a_day(2, "#two")) == ["new"]
        assert outcomes(rig, of_a_day(2, "#two")) == ["known"]
        assert ids_in(store) == ["a1", "a2"]
