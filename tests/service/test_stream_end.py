"""The last slide of a finished stream is done, and a stream may go on later."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import select

from tests.service.running import Rig, article, opened
from tests.service.test_pump import Listed, pumping, until
from ustory.service.stream_end import REST_SECONDS, StreamEnd
from ustory.store import Store
from ustory.store.slides import waiting_articles
from ustory.store.tables import articles, slides


@pytest.fixture
def rig(sqlite_url: str) -> Iterator[Rig]:
    """Return a service by the dates of articles."""
    with opened(sqlite_url) as store:
        yield Rig(store)


class Seconds:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def _rows(store: Store) -> list[tuple[int, str]]:
    with store.read() as connection:
        query = select(slides.c.number, slides.c.status).order_by(slides.c.number)
        return [(row[0], row[1]) for row in connection.execute(query)]


def _slides_of(store: Store) -> dict[str, int]:
    with store.read() as connection:
        query = select(articles.c.id, articles.c.slide)
        return {row[0]: row[1] for row in connection.execute(query)}


def test_the_open_slide_is_closed_once_nothing_came_for_a_while(rig: Rig) -> None:
    seconds = Seconds()
    end = StreamEnd(rig.intake, lambda: True, seconds)
    rig.accept(article(0), article(1))

    assert not end.look()
    seconds.now += REST_SECONDS / 2
    rig.accept(article(2))
    assert not end.look()
    seconds.now += REST_SECONDS / 2
    assert not end.look(), "something came in between"
    seconds.now += REST_SECONDS / 2
    assert end.look()

    rig.loop.catch_up()
    assert _rows(rig.store) == [(1, "done")]
    with rig.store.read() as connection:
        assert waiting_articles(connection) == 0
    seconds.now += 10 * REST_SECONDS
    assert not end.look(), "there is nothing more to close"


def test_it_stays_open_while_a_source_is_read(rig: Rig) -> None:
    seconds = Seconds()
    reading = True
    end = StreamEnd(rig.intake, lambda: not reading, seconds)
    rig.accept(article(0))
    for _ in range(5):
        seconds.now += REST_SECONDS
        assert not end.look()

    reading = False
    seconds.now += REST_SECONDS
    assert end.look()


def test_what_comes_later_is_in_a_further_slide_with_the_same_end(rig: Rig) -> None:
    rig.accept(article(0), article(1))
    rig.intake.close_open()
    rig.loop.catch_up()
    before = rig.loop.status().end

    rig.accept(article(2), article(30))
    rig.loop.catch_up()
    rig.intake.close_open()
    rig.loop.catch_up()

    assert _slides_of(rig.store) == {"a0": 1, "a1": 1, "a2": 2, "a30": 3}
    assert {status for _, status in _rows(rig.store)} == {"done"}
    assert before is not None
    assert rig.loop.status().end == before + timedelta(days=1)
    assert rig.loop.status().inside == 4


def test_a_source_rests_after_its_end_and_a_growing_one_after_a_look_in_vain(
    rig: Rig,
) -> None:
    growing = Listed([article(0)], "growing", live=True)
    with pumping(rig) as pump:
        ended = pump.add(Listed([article(1)], "ended"))
        thread = pump.add(growing, timedelta(seconds=0.05))
        until(lambda: pump.rests)
        assert ended.rests
        assert thread.rests
        growing.articles.append(article(2))
        until(lambda: rig.intake.last_seq() == 3)
        until(lambda: pump.rests)


def test_a_source_that_fails_does_not_rest(rig: Rig) -> None:
    source = Listed([article(0), article(1)], "failing")
    source.fail_at = {1: RuntimeError("the wire is cut")}
    with pumping(rig) as pump:
        thread = pump.add(source)
        until(lambda: "failing" in rig.loop.problems.now())
        assert not thread.rests
        until(lambda: thread.rests)
    assert rig.intake.last_seq() == 2
