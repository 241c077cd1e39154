"""Events of the store, encoded for those who listen to them."""

from __future__ import annotations

from collections.abc import Collection

from ustory.service.to_json import plain
from ustory.store import Store
from ustory.store.events import events_after, last_event
from ustory.store.mapping import values
from ustory.store.tables import EventRow
from ustory.web import sse
from ustory.web.broadcast import EncodedEvent


class StoredLedger:
    """Reads events from a store; called outside the event loop."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def after(
        self,
        event: int,
        limit: int,
        story: str | None = None,
        kinds: Collection[str] = (),
    ) -> list[EncodedEvent]:
        """Return the events behind one, oldest first; of a story, of some kinds."""
        with self._store.read() as connection:
            rows = events_after(connection, event, limit, story, kinds or None)
        return [_encoded(row) for row in rows]

    def last(self) -> int:
        """Return the id of the newest event, 0 if there is none."""
        with self._store.read() as connection:
            return last_event(connection)


def _encoded(row: EventRow) -> EncodedEvent:
    data = sse.encode_event(row.id, row.kind, plain(values(row)))
    return EncodedEvent(row.id, row.kind, row.story, data)
