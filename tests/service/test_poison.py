"""A poisoned article is set aside; the slide, the loop and the archive go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Event as Signal
from threading import Thread

import numpy as np
import pytest
from sqlalchemy import select

from tests.service.conftest import new_sqlite
from tests.service.running import DAILY, DAY, START, Hand, article, opened, outcome
from ustory.core.arrays import SentenceVectors
from ustory.core.article import Article
from ustory.core.errors import PackageError, StateError
from ustory.service.intake import Intake
from ustory.service.loop import Loop
from ustory.service.provisional import Answers
from ustory.service.retell import retell, slide_before
from ustory.service.set_aside import set_aside, taken_back
from ustory.service.verify import replay
from ustory.store import Store
from ustory.store.articles import all_aside, aside
from ustory.store.articles import article as find_article
from ustory.store.problems import recent_problems
from ustory.store.slides import last_done
from ustory.store.tables import Watchlist, articles
from ustory.store.upkeep import check
from ustory.store.watchlists import put_watchlist
from ustory.testing import TinyEncoder
from ustory.text.fast import FastPipeline

POISON = "Vitamin poison"


class Panic(BaseException):
    """What a compiled package throws: no Exception."""


class Panicky(FastPipeline):
    """Reads everything but poison."""

    def split(self, article: Article) -> tuple[str, ...]:
        """Return the sentences of an article."""
        if "poison" in article.title + article.text:
            raise Panic("byte index 12 is not a boundary")
        return super().split(article)


class Sick(TinyEncoder):
    """Gives no vectors once, and then again, as long as it is told to."""

    failing: BaseException | None = None

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return the vectors of sentences, or fail."""
        if self.failing is not None and sentences:
            raise self.failing
        return np.asarray(super().encode(sentences), dtype=np.float16)


class Rig:
    """A loop whose pipeline panics at poison, with an intake."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = Hand()
        self.encoder = Sick()
        self.loop = Loop(store, DAILY, self.encoder, self.clock, pipeline=Panicky())
        self.loop.start()
        self.intake = Intake(store, self.loop.calendar, self.clock)

    def accept(self, *given: Article) -> None:
        """Take in articles."""
        self.intake.accept(given, "stream")

    def next_day(self) -> None:
        """Let the open slide end."""
        self.clock.time += DAY

    def fail_once(self) -> None:
        """Compute the next slide, which fails as it does the first time."""
        with pytest.raises(PackageError, match="Panic: byte index 12"):
            self.loop.step()


@pytest.fixture
def store(tmp_path_factory: pytest.TempPathFactory) -> object:
    with opened(new_sqlite(tmp_path_factory.mktemp("poison"))) as made:
        yield made


def test_a_slide_that_fails_twice_goes_on_without_the_article(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)), article(5, POISON))
    rig.next_day()

    rig.fail_once()
    with store.read() as connection:
        assert all_aside(connection) == []
    done = rig.loop.step()

    assert done is not None
    assert (done.number, done.status, done.articles) == (1, "done", 5)
    with store.read() as connection:
        (row,) = all_aside(connection)
        found = find_article(connection, "a5")
    assert (row.article, row.slide, row.by, row.left_out) == ("a5", 1, "loop", True)
    assert row.reason == "Panic: byte index 12 is not a boundary"
    assert found is not None
    assert (found.story, found.how, found.waiting) == (None, "set-aside", False)
    assert "a5" not in rig.loop.state.records
    assert check(store) == []


def test_stories_are_those_of_a_stream_without_the_poison(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    states = []
    for bad in ((), (article(7, POISON), article(8, POISON))):
        with opened(new_sqlite(tmp_path_factory.mktemp("two"))) as store:
            rig = Rig(store)
            rig.accept(*map(article, range(6)), *bad)
            rig.next_day()
            if bad:
                rig.fail_once()
            rig.loop.catch_up()
            states.append(rig.loop.runner.engine.freeze(rig.loop.state))
    assert states[0] == states[1]


def test_a_restart_and_a_replay_leave_the_same_articles_out(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)), article(5, POISON))
    rig.next_day()
    rig.fail_once()
    rig.loop.catch_up()
    before = outcome(store)
    with store.write() as connection:  # no snapshot: all slides are computed again
        connection.exec_driver_sql("DELETE FROM snapshots")

    again = Rig(store)

    assert again.loop.slide == 1
    assert again.loop.state.records.keys() == rig.loop.state.records.keys()
    verdict = replay(store, encoder=TinyEncoder(), pipeline=Panicky())
    assert (verdict.slides, verdict.problems) == (1, ())
    again.accept(article(30))
    again.clock.time = START + 2 * DAY
    assert again.loop.step() is not None
    assert outcome(store) != before


def test_an_edit_can_be_poison(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)))
    rig.accept(replace(article(2), text="It is poison now."))
    rig.next_day()

    rig.fail_once()
    rig.loop.catch_up()

    with store.read() as connection:
        assert [row.article for row in all_aside(connection)] == ["a2"]


def test_an_edit_that_comes_after_its_slide_stops_nothing(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)))
    rig.next_day()
    rig.loop.catch_up()
    rig.accept(replace(article(2), text="It is poison now."))
    rig.next_day()

    rig.loop.catch_up()

    with store.read() as connection:
        assert all_aside(connection) == []


@pytest.mark.parametrize("error", [OSError(28, "no space"), MemoryError("full")])
def test_a_full_disk_sets_no_article_aside(store: Store, error: Exception) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)))
    rig.next_day()
    rig.encoder.failing = error

    for _ in range(3):
        with pytest.raises(type(error)):
            rig.loop.step()
    with store.read() as connection:
        assert all_aside(connection) == []

    rig.encoder.failing = None
    assert rig.loop.catch_up() == 1


def test_an_encoder_that_reads_nothing_sets_no_article_aside(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)))
    rig.next_day()
    rig.encoder.failing = ValueError("the model is broken")

    for _ in range(3):
        with pytest.raises(ValueError, match="the model is broken"):
            rig.loop.step()
    with store.read() as connection:
        assert all_aside(connection) == []


def test_the_thread_of_the_loop_outlives_a_panic_and_tells_of_it(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)), article(5, POISON))
    rig.next_day()
    stop = Signal()
    done = Signal()
    rig.loop.on_done = lambda row: done.set()
    thread = Thread(target=rig.loop.run, args=(stop, 0.01))
    thread.start()
    try:
        assert done.wait(30)
        assert thread.is_alive()
    finally:
        stop.set()
        thread.join(30)

    assert rig.loop.status().problem is None
    with store.read() as connection:
        told = [(row.kind, row.message) for row in recent_problems(connection)]
        last = last_done(connection)
    assert last is not None
    assert ("set-aside", "article 'a5' is set aside: Panic: byte index 12 is not a "
            "boundary") in told  # fmt: skip
    assert any(kind == "refused" and "Panic" in said for kind, said in told)


def test_an_article_set_aside_by_hand_is_left_out_of_its_slide(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)))
    with store.write() as connection:
        row = set_aside(connection, "a1", "withdrawn", "command", START)
        assert row is not None
        assert row.left_out
        assert set_aside(connection, "nobody", "x", "command", START) is None
    rig.next_day()

    rig.loop.catch_up()

    assert "a1" not in rig.loop.state.records
    with store.read() as connection:
        found = connection.execute(
            select(articles.c.how).where(articles.c.id == "a1")
        ).scalar_one()
    assert found == "set-aside"
    with (
        store.write() as connection,
        pytest.raises(StateError, match="without article"),
    ):
        taken_back(connection, "a1")


def test_an_article_can_be_taken_back_until_its_slide_is_done(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)))
    with store.write() as connection:
        set_aside(connection, "a1", "a mistake", "command", START)
        assert taken_back(connection, "a1")
        assert not taken_back(connection, "a1")
    rig.next_day()

    rig.loop.catch_up()

    assert "a1" in rig.loop.state.records


def test_after_its_slide_setting_aside_is_only_recorded(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)))
    rig.next_day()
    rig.loop.catch_up()
    with store.write() as connection:
        row = set_aside(connection, "a1", "too late", "api", START)
        assert row is not None
        assert not row.left_out
        again = set_aside(connection, "a1", "still too late", "api", START)
        assert again is not None
        assert not again.left_out

    verdict = replay(store, encoder=TinyEncoder(), pipeline=Panicky())

    assert verdict.problems == ()
    with store.write() as connection:
        assert taken_back(connection, "a1")
        assert aside(connection, "a1") is None


def test_an_article_set_aside_while_its_slide_is_computed_is_left_out(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)))
    rig.next_day()
    compute = rig.loop.runner.run
    meanwhile = [True]

    def tell(*given: object) -> object:
        told = compute(*given)  # type: ignore[arg-type]
        if meanwhile:
            meanwhile.pop()
            with store.write() as connection:
                set_aside(connection, "a1", "meanwhile", "api", START)
        return told

    monkeypatch.setattr(rig.loop.runner, "run", tell)

    assert rig.loop.step() is not None
    assert "a1" not in rig.loop.state.records
    assert replay(store, encoder=TinyEncoder(), pipeline=Panicky()).problems == ()


def test_an_article_without_a_provisional_answer_is_taken_in(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)))
    rig.next_day()
    rig.loop.catch_up()
    given = [article(30, POISON)]
    receipts = rig.intake.accept(given, "api")

    answered = Answers(rig.loop).provisional(given, receipts)

    assert answered == receipts
    assert answered[0].outcome == "new"


def test_a_watchlist_that_cannot_be_read_stops_no_slide(store: Store) -> None:
    rig = Rig(store)
    with store.write() as connection:
        for name, example in (("w1", "It is poison."), ("w2", article(1).text)):
            put_watchlist(
                connection,
                Watchlist(id=name, name=name, created_at=START, example=example),
            )
    rig.accept(*map(article, range(4)))
    rig.next_day()

    assert rig.loop.catch_up() == 1

    assert "w1 (Panic: byte index 12" in rig.loop.problems.now()["watchlists"]
    with store.write() as connection:
        put_watchlist(
            connection, Watchlist(id="w1", name="w1", created_at=START, example="Rain.")
        )
    rig.accept(article(30))
    rig.next_day()
    rig.loop.catch_up()
    assert "watchlists" not in rig.loop.problems.now()


def test_stories_computed_again_leave_the_same_articles_out(store: Store) -> None:
    rig = Rig(store)
    rig.accept(*map(article, range(4)), article(5, POISON))
    rig.next_day()
    rig.fail_once()
    rig.loop.catch_up()

    done = retell(store, rig.loop.runner, rig.clock, after=slide_before(store, None))

    assert done is not None
    with store.read() as connection:
        found = find_article(connection, "a5")
    assert found is not None
    assert (found.story, found.how) == (None, "set-aside")
    assert check(store) == []
