"""Feeds pumped into the intake: their articles and states, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, replace
from datetime import timedelta
from threading import Event as Signal
from threading import Thread

from ustory.core.backoff import Backoff
from ustory.engine.poison import STOP_REQUESTS
from ustory.service.backpressure import Full
from ustory.service.current_problems import (
    CurrentProblems,
    failure_of,
    kind_of,
    words_of,
)
from ustory.service.intake import Intake, Receipt
from ustory.sources.feeds.polling import SLOW, FeedPoller, FeedState, Known, Polled
from ustory.store import Connection, Store, Unavailable
from ustory.store.articles import articles_by_id
from ustory.store.feeds import all_feeds, feed, put_feeds
from ustory.store.tables import FeedRow
from ustory.store.withdraw import withdrawn_ids

FEEDS = "feeds"
_PAUSE = 1.0
_BACKOFF = Backoff(timedelta(seconds=10), timedelta(minutes=5))
_PATIENCE_WHEN_FULL = 60.0
_ATTEMPTS = 3
"""How often a batch is handed in whole before its articles are tried one by one."""
_SHARED = tuple(each.name for each in fields(FeedState) if each.name != "next_at")


class FeedPump:
    """Asks the feeds in the store whenever they are due. Mutable.

    Feeds may be added to the store, or taken out, at any time. What was fetched and
    cannot be taken in is kept and handed in again, and nothing more is fetched before.
    """

    def __init__(
        self,
        feeds: FeedPoller,
        intake: Intake,
        store: Store,
        problems: CurrentProblems,
    ) -> None:
        self._feeds = feeds
        self._intake = intake
        self._store = store
        self._problems = problems
        self._kept: Polled | None = None
        self._attempts = 0
        self._slow: set[str] = set()
        self._stop = Signal()
        self._thread = Thread(target=self._run, name="pump feeds", daemon=True)

    def start(self) -> None:
        """Begin to ask feeds."""
        self._thread.start()

    def stop(self, timeout: float = 10.0) -> None:
        """Stop asking; an answer that is being taken in is finished."""
        self._stop.set()
        self._thread.join(timeout)

    def poll(self) -> int:
        """Ask all feeds that are due, once; return how many answered."""
        answers = 0
        if self._kept is not None:
            self._hand_in(self._kept)
            answers += 1
        self._intake.check_room()
        with self._store.read() as connection:
            states = [state_of(row) for row in all_feeds(connection) if row.active]
        for polled in self._feeds.poll(states):
            self._hand_in(polled)
            answers += 1
            if self._stop.is_set():
                break
        self._name_slow()
        return answers

    def _run(self) -> None:
        failures = 0
        while not self._stop.is_set():
            error = failure_of(self.poll, self._problems.flush)
            if error is None:
                failures = 0
                self._problems.end(FEEDS)
                self._stop.wait(_PAUSE)
                continue
            self._problems.begin(FEEDS, kind_of(error), words_of(error))
            if isinstance(error, Full):
                self._stop.wait(min(error.retry_after, _PATIENCE_WHEN_FULL))
            else:
                failures += 1
                self._stop.wait(_BACKOFF.seconds(failures))
        failure_of(self._problems.flush)

    def _hand_in(self, polled: Polled) -> None:
        """Take in what a feed gave, and keep it where that fails."""
        self._kept = polled
        try:
            self._take_in(polled)
        except (Full, Unavailable, *STOP_REQUESTS):
            raise
        except BaseException:
            self._attempts += 1
            if self._attempts < _ATTEMPTS:
                raise
            self._one_by_one(polled)
            self._take_in(replace(polled, items=()))
        self._kept, self._attempts = None, 0

    def _one_by_one(self, polled: Polled) -> None:
        """Take in each article alone, and report those that fail."""
        url = polled.state.url
        for item in polled.items:
            try:
                self._report_refused(url, self._intake.accept([item.article], url))
            except (Full, Unavailable, *STOP_REQUESTS):
                raise
            except BaseException as error:  # noqa: BLE001 - reported, and the others are kept
                said = f"article {item.article.id!r} was left out: {words_of(error)}"
                self._problems.log(url, kind_of(error), said)

    def _take_in(self, polled: Polled) -> None:
        """Take in what a feed gave, together with where we stand with it."""
        url = polled.state.url
        receipts = self._intake.accept(
            [item.article for item in polled.items], url, also=_keep(polled.state)
        )
        for problem in polled.problems:
            self._problems.log(url, "feed", problem)
        self._report_refused(url, receipts)
        self._slow.discard(url)
        if polled.state.last_error is not None:
            self._problems.begin(url, "feed", polled.state.last_error)
        else:
            self._problems.end(url)

    def _report_refused(self, url: str, receipts: Sequence[Receipt]) -> None:
        for receipt in receipts:
            if receipt.is_problem:
                said = f"article {receipt.article!r} was refused: {receipt.reason}"
                self._problems.log(url, "refused", said)

    def _name_slow(self) -> None:
        """Say which feeds take long; the others are asked meanwhile."""
        for url in self._feeds.slow():
            if url not in self._slow:
                self._slow.add(url)
                said = f"it has not answered for more than {SLOW:.0f} seconds"
                self._problems.begin(url, "slow", f"{said}; other feeds do not wait")


def state_of(row: FeedRow) -> FeedState:
    """Return a feed of the store as fetching knows it; never asked means due."""
    shared = {name: getattr(row, name) for name in _SHARED}
    return FeedState(**shared, next_at=row.next_at or row.added_at)


def row_of(state: FeedState) -> FeedRow:
    """Return what the store keeps of a feed."""
    shared = {name: getattr(state, name) for name in _SHARED}
    return FeedRow(**shared, next_at=state.next_at)


def _keep(state: FeedState) -> Callable[[Connection], None]:
    def write(connection: Connection) -> None:
        known = feed(connection, state.url)
        if known is not None:  # else somebody has taken it out meanwhile
            row = row_of(state)
            put_feeds(connection, [replace(row, active=row.active and known.active)])

    return write


def stored_in(store: Store) -> Known:
    """Return what tells feeds which articles are stored already, by their ids.

    Those that were withdrawn count as stored: their pages need not be fetched.
    """

    def stored(ids: Sequence[str]) -> Collection[str]:
        with store.read() as connection:
            there = set(articles_by_id(connection, ids))
            return frozenset(there | withdrawn_ids(connection, ids))

    return stored
