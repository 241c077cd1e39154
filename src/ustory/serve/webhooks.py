"""Sends what watchlists found to their webhooks, until it is taken or given up."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from threading import Event

import httpx

from ustory.fetch.errors import FetchError
from ustory.fetch.http import Web
from ustory.serve.signing import ATTEMPTS, body_of, headers_of, wait_after
from ustory.store import Store, Unavailable
from ustory.store.rows import Delivery
from ustory.store.watchlists import (
    delivery as find_delivery,
)
from ustory.store.watchlists import (
    due_deliveries,
    put_deliveries,
    watchlist,
)

logger = logging.getLogger(__name__)

PAUSE = 2.0
"""Seconds between two looks for messages."""
_READ = 64_000
"""Bytes of an answer that are looked at: only its status matters."""


class Courier:
    """The one who carries messages. Runs in a thread of its own."""

    def __init__(
        self,
        store: Store,
        web: Web,
        clock: Callable[[], datetime],
        count: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._web = web
        self._clock = clock
        self._count = count

    def run(self, stop: Event, pause: float = PAUSE) -> None:
        """Carry messages until `stop` is set."""
        while not stop.is_set():
            try:
                carried = self.carry(stop)
            except Unavailable as error:
                logger.warning("webhooks wait: %s", error)
                carried = 0
            except Exception:
                logger.exception("a webhook message could not be carried")
                carried = 0
            if not carried:
                stop.wait(pause)

    def carry(self, stop: Event | None = None) -> int:
        """Send the messages that are due; return how many were tried."""
        with self._store.read() as connection:
            due = due_deliveries(connection, self._clock())
        tried = 0
        for message in due:
            if stop is not None and stop.is_set():
                break
            self._carry_one(message)
            tried += 1
        return tried

    def _carry_one(self, message: Delivery) -> None:
        with self._store.read() as connection:
            owner = watchlist(connection, message.watchlist)
        problem = "its watchlist is gone"
        if owner is not None:
            body = body_of(message.body)
            headers = headers_of(owner.secret, message.id, body, self._clock())
            problem = self._send(message.url, body, headers)
        after = _after(message, problem, self._clock(), gone=owner is None)
        self._count(after.status)
        with self._store.write() as connection:
            # removed with its watchlist while it was on its way: do not bring it back
            if find_delivery(connection, message.id) is not None:
                put_deliveries(connection, [after])

    def _send(self, url: str, body: bytes, headers: dict[str, str]) -> str:
        """Make the call; return what went wrong, nothing if it was taken."""
        try:
            with (
                self._web.client() as client,
                client.stream("POST", url, content=body, headers=headers) as answer,
            ):
                _read_a_little(answer)
                status = answer.status_code
        except FetchError as error:
            return str(error)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return str(error) or type(error).__name__
        return "" if httpx.codes.is_success(status) else f"it answered {status}"


def _read_a_little(answer: httpx.Response) -> None:
    """Let the other side finish a short answer; a long one is cut off."""
    read = 0
    for piece in answer.iter_raw():
        read += len(piece)
        if read > _READ:
            return


def _after(message: Delivery, problem: str, now: datetime, *, gone: bool) -> Delivery:
    """Return a message as it stands after a call."""
    attempts = message.attempts + 1
    if not problem:
        return replace(message, status="sent", attempts=attempts, last_error=None)
    status = "failed" if gone or attempts >= ATTEMPTS else "due"
    return replace(
        message,
        status=status,
        attempts=attempts,
        next_at=now + wait_after(attempts),
        last_error=problem[:500],
    )
