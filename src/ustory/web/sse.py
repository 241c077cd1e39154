"""Events of the store as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from ustory.service.to_json import plain
from ustory.store import Store
from ustory.store.mapping import values
from ustory.store.results import events_after, last_event
from ustory.store.tables import EventRow
from ustory.web.broadcast import EncodedEvent

MEDIA_TYPE = "text/event-stream"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "description": "One event of the stream.",
    "properties": {
        "id": {"type": "string", "description": "For `Last-Event-ID`."},
        "event": {"type": "string", "description": "What happened."},
        "data": {"type": "string", "description": "The event, as JSON."},
    },
}
EXAMPLE = {"id": "17", "event": "grew", "data": '{"id": 17, "kind": "grew", …}'}


def encode_event(number: int, kind: str, data: Mapping[str, Any]) -> bytes:
    r"""Return one event for the wire; JSON has no line breaks, so none can be forged.

    >>> encode_event(7, "born", {"story": "s000001"})
    b'id: 7\nevent: born\ndata: {"story": "s000001"}\n\n'
    """
    name = "".join(c for c in kind if c.isalnum() or c in "-_")
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode()


def event_number(text: str | None) -> int | None:
    """Return the number in a Last-Event-ID header, None if it holds none.

    >>> event_number("12"), event_number("x"), event_number(None)
    (12, None, None)
    """
    if text is None or not (text.isascii() and text.isdigit()) or len(text) > 18:
        return None
    return int(text)


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
        """Return the events after one, oldest first; of a story, of some kinds."""
        with self._store.read() as connection:
            rows = events_after(connection, event, limit, story, kinds or None)
        return [_encoded(row) for row in rows]

    def last(self) -> int:
        """Return the id of the newest event, 0 if there is none."""
        with self._store.read() as connection:
            return last_event(connection)


def _encoded(row: EventRow) -> EncodedEvent:
    data = encode_event(row.id, row.kind, plain(values(row)))
    return EncodedEvent(row.id, row.kind, row.story, data)
