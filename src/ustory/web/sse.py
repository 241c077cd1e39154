"""Events as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

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
