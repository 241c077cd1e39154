"""A crash at every statement leaves the state before a transaction or after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event

from tests.service.running import (
    ORIGIN,
    Rig,
    demo_articles,
    ids_in,
    opened,
    outcome,
    seqs_in,
    tell_all,
)
from ustory.core.article import Article
from ustory.store import Store
from ustory.store.feeds import get_cursor
from ustory.store.tables import Watchlist, matches
from ustory.store.watchlists import put_watchlist


class CrashError(Exception):
    """Stands for the end of the process."""


class Saboteur:
    """Raises at the n-th statement or commit from now on."""

    def __init__(self, store: Store) -> None:
        self.left: int | None = None
        self.struck = False
        event.listen(store.engine, "before_cursor_execute", self._count)
        event.listen(store.engine, "commit", self._count)

    def arm(self, number: int) -> None:
        """Strike at the statement of this number from now on."""
        self.left, self.struck = number, False

    def disarm(self) -> None:
        """Strike no more."""
        self.left = None

    def _count(self, *given: object) -> None:
        del given
        if self.left is None:
            return
        self.left -= 1
        if self.left == 0:
            self.struck = True
            raise CrashError


def survive(
    store: Store, saboteur: Saboteur, work: Callable[[Rig], object]
) -> tuple[int, object]:
    """Do some work, crashing at every statement of it in turn, until it is done.

    Each crash must leave everything as it was, and each time a new process, with
    nothing in its memory, does the work.
    """
    crashes = 0
    while True:
        rig = Rig(store)
        before = outcome(store), seqs_in(store)
        saboteur.arm(crashes + 1)
        try:
            result = work(rig)
        except CrashError:
            crashes += 1
        else:
            if not saboteur.struck:
                saboteur.disarm()
                return crashes, result
            crashes += 1
        saboteur.disarm()
        assert (outcome(store), seqs_in(store)) == before


def edited(articles: Sequence[Article]) -> list[Article]:
    """Return the articles with an edit of one, and one that is there twice."""
    rewritten = replace(articles[1], text=articles[1].text + " More is known now.")
    return [*articles[:5], rewritten, articles[2], *articles[5:]]


@pytest.mark.parametrize(
    ("articles", "least"),
    [(10, 40), pytest.param(60, 400, marks=pytest.mark.slow)],
)
def test_a_crash_at_any_statement_changes_nothing(
    url: str, tmp_path: Path, articles: int, least: int
) -> None:
    stream = edited(demo_articles()[:articles])
    batches = [stream[first : first + 10] for first in range(0, len(stream), 10)]
    watch = Watchlist(
        id="w",
        name="all",
        created_at=stream[0].published_at,
        keywords=("earthquake", "trial", "storm"),
        webhook="https://hook.example/",
    )
    with opened(f"sqlite:///{tmp_path}/whole.db") as whole:
        with whole.write() as connection:
            put_watchlist(connection, watch)
        tell_all(whole, stream, batch=7)
        wanted = outcome(whole), ids_in(whole), seqs_in(whole)
        with whole.read() as connection:
            found = connection.execute(matches.select()).all()
    assert found, "a run in which no watchlist matches shows less than it should"
    with opened(url) as store:
        with store.write() as connection:
            put_watchlist(connection, watch)
        saboteur = Saboteur(store)
        crashes = 0
        for number, batch in enumerate(batches):
            crashes += take_in(store, saboteur, batch, str(number))
            crashes += tell(store, saboteur)
        Rig(store).intake.close_open()
        crashes += tell(store, saboteur)
        assert (outcome(store), ids_in(store), seqs_in(store)) == wanted
        with store.read() as connection:
            assert get_cursor(connection, ORIGIN) == str(len(batches) - 1)
            again = connection.execute(matches.select()).all()
            assert [row.story for row in again] == [row.story for row in found]
    assert crashes > least


def take_in(
    store: Store, saboteur: Saboteur, batch: Sequence[Article], cursor: str
) -> int:
    return survive(
        store, saboteur, lambda rig: rig.intake.accept(batch, ORIGIN, cursor)
    )[0]


def tell(store: Store, saboteur: Saboteur) -> int:
    """Tell all slides that are over; return how often that crashed."""
    total = 0
    while True:
        crashes, row = survive(store, saboteur, lambda rig: rig.loop.step())
        total += crashes
        if row is None:
            return total
