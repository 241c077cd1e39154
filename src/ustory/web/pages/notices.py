"""What Now says above its list: where a demo is, and which articles are in no story."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ustory.core.wording import many
from ustory.service.clock import StreamClock
from ustory.service.demo import DemoProgress
from ustory.store import Connection
from ustory.store.late import count_late
from ustory.web.service import Service


@dataclass(frozen=True, slots=True)
class LateNotice:
    """Articles that were older than the window, and what to do about it."""

    count: str
    replay: bool
    """Whether the database goes by the dates of articles already."""


def notices(connection: Connection, service: Service) -> dict[str, Any]:
    """Return the values of `notices.html`."""
    late = count_late(connection)
    replay = isinstance(service.clock, StreamClock)
    return {
        "late": LateNotice(many(late, "article"), replay) if late else None,
        "demo": None if service.demo is None else _demo(service.demo()),
    }


def _demo(progress: DemoProgress) -> dict[str, Any]:
    return {
        "day": max(progress.day, 1),
        "days": progress.days,
        "is_over": progress.is_over,
    }
