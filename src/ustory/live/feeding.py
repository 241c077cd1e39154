"""Feeds pumped into the intake: their articles and states, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, replace
from threading import Event as Signal
from threading import Thread

from sqlalchemy import Connection

from ustory.fetch.feeds import Feeds, FeedState, Known, Polled
from ustory.live.intake import REFUSED, Intake
from ustory.live.trouble import Troubles, kind_of, words_of
from ustory.store import Store
from ustory.store.articles import articles_by_id
from ustory.store.feeds import all_feeds, feed, put_feeds
from ustory.store.rows import FeedRow

FEEDS = "feeds"
_PAUSE = 1.0
_TROUBLED = 10.0
_SHARED = tuple(each.name for each in fields(FeedState) if each.name != "next_at")


class FeedPump:
    """Asks the feeds in the store whenever they are due. Mutable.

    Feeds may be added to the store, or taken out, at any time.
    """

    def __init__(
        self,
        feeds: Feeds,
        intake: Intake,
        store: Store,
        troubles: Troubles,
    ) -> None:
        self._feeds = feeds
        self._intake = intake
        self._store = store
        self._troubles = troubles
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
        with self._store.read() as connection:
            states = [state_of(row) for row in all_feeds(connection) if row.active]
        answers = 0
        for polled in self._feeds.poll(states):
            self._take_in(polled)
            answers += 1
            if self._stop.is_set():
                break
        return answers

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.poll()
            except Exception as error:  # noqa: BLE001 - feeds must not end the rest
                self._troubles.note(FEEDS, kind_of(error), words_of(error))
                self._stop.wait(_TROUBLED)
            else:
                self._troubles.over(FEEDS)
                self._stop.wait(_PAUSE)
            self._troubles.flush()

    def _take_in(self, polled: Polled) -> None:
        """Take in what a feed gave, together with where we stand with it."""
        url = polled.state.url
        receipts = self._intake.accept(
            [item.article for item in polled.items], url, also=_keep(polled.state)
        )
        for problem in polled.problems:
            self._troubles.tell(url, "feed", problem)
        for receipt in receipts:
            if receipt.outcome == REFUSED:
                said = f"article {receipt.article!r} was refused: {receipt.reason}"
                self._troubles.tell(url, "refused", said)
        if polled.state.last_error is not None:
            self._troubles.note(url, "feed", polled.state.last_error)
        else:
            self._troubles.over(url)


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
    """Return what tells feeds which articles are stored already, by their ids."""

    def stored(ids: Sequence[str]) -> Collection[str]:
        with store.read() as connection:
            return frozenset(articles_by_id(connection, ids))

    return stored
