"""Sends what watchlists found to their webhooks, until it is accepted or given up.

Each host has at most one call under way, so a slow receiver delays its own messages
only. Address and secret are read from the watchlist at the moment of sending.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Event, Lock
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import httpx

from ustory.core.backoff import Backoff
from ustory.sources.http.client import Web
from ustory.sources.http.errors import FetchError
from ustory.store import Store, Unavailable
from ustory.store.tables import Delivery, Watchlist
from ustory.store.watchlists import (
    all_watchlists,
    due_deliveries,
    due_watchlists,
    put_deliveries,
    watchlist,
)
from ustory.store.watchlists import (
    delivery as find_delivery,
)

SIGNATURE = "X-Ustory-Signature"
TIMESTAMP = "X-Ustory-Timestamp"
IDEMPOTENCY = "Idempotency-Key"
ATTEMPTS = 10
"""Calls made before a delivery is given up."""
BACKOFF = Backoff(timedelta(seconds=10), timedelta(hours=6))
"""Waits between these calls."""


def body_of(message: Mapping[str, Any]) -> bytes:
    """Return the bytes that are signed and sent: canonical JSON."""
    return json.dumps(message, sort_keys=True, separators=(",", ":")).encode("utf-8")


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """Return HMAC-SHA256 over time and body: `sha256=` and 64 hexadecimal digits.

    The time is part of it, so that an old call cannot be sent again as a new one.

    >>> signature("secret", 0, b"{}")[:20]
    'sha256=4bbe8d39de1ff'
    """
    signed = b"%d.%s" % (timestamp, body)
    return "sha256=" + hmac.new(secret.encode(), signed, sha256).hexdigest()


def content_type_of(message: Mapping[str, Any]) -> str:
    """Return the media type of a message, which is written when its match is found.

    >>> content_type_of({"specversion": "1.0"}), content_type_of({"kind": "match"})
    ('application/cloudevents+json', 'application/json')
    """
    is_event = "specversion" in message
    return "application/cloudevents+json" if is_event else "application/json"


def headers_of(
    secret: str | None,
    delivery: str,
    body: bytes,
    now: datetime,
    content_type: str = "application/json",
) -> dict[str, str]:
    """Return the headers of a call; without a secret it is not signed."""
    timestamp = int(now.timestamp())
    headers = {
        "Content-Type": content_type,
        IDEMPOTENCY: delivery,
        TIMESTAMP: str(timestamp),
    }
    if secret:
        headers[SIGNATURE] = signature(secret, timestamp, body)
    return headers


logger = logging.getLogger(__name__)

PAUSE = 2.0
"""Seconds between two checks for messages."""
WORKERS = 12
"""Concurrent calls, each to another host."""
SLOW_WORKERS = 8
"""Concurrent calls to hosts that were slow the last time."""
SLOW = 2.0
"""Seconds after which a host is slow; its worker then changes to another host."""
_BATCH = 20
"""Messages sent to a host before the next host."""
_MAX_READ = 64_000
"""Bytes that are read of an answer: only its status matters."""
_MAX_SLOW_HOSTS = 1_000
"""Slow hosts that are remembered."""


class WebhookSender:
    """Sends messages to webhooks. `run` needs its own thread and starts workers."""

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
        self._hosts = _Hosts()

    def run(self, stop: Event, pause: float = PAUSE) -> None:
        """Send messages until `stop` is set; those under way are finished first."""
        with ThreadPoolExecutor(WORKERS, thread_name_prefix="webhook") as pool:
            while not stop.is_set():
                try:
                    begun = self._begin(pool, stop)
                except Unavailable as error:
                    logger.warning("webhooks wait: %s", error)
                    begun = 0
                except Exception:
                    logger.exception("webhook messages could not be looked for")
                    begun = 0
                if not begun:
                    stop.wait(min(pause, 0.05) if self._hosts.changed() else pause)
            pool.shutdown(cancel_futures=True)

    def send_due(self, stop: Event | None = None) -> int:
        """Send the due messages, host by host; return the number of attempts."""
        stop = stop or Event()
        return sum(self._serve(owners, stop) for owners in self._waiting().values())

    def _begin(self, pool: ThreadPoolExecutor, stop: Event) -> int:
        """Start a worker for each host with messages, if one is free."""
        begun = 0
        for host, owners in self._waiting().items():
            if self._hosts.take(host):
                pool.submit(self._turn, host, owners, stop)
                begun += 1
        return begun

    def _turn(self, host: str, owners: Sequence[str], stop: Event) -> None:
        began = monotonic()
        try:
            self._serve(owners, stop)
        except Unavailable as error:
            logger.warning("webhooks of %s wait: %s", host, error)
            stop.wait(1.0)
        except Exception:
            logger.exception("a webhook message to %s could not be sent", host)
            stop.wait(1.0)
        finally:
            self._hosts.give_back(host, slow=monotonic() - began > SLOW)

    def _waiting(self) -> Mapping[str, Sequence[str]]:
        """Return the watchlists with due messages, by host."""
        with self._store.read() as connection:
            names = due_watchlists(connection, self._clock())
            owners = {row.id: row for row in all_watchlists(connection)}
        found: dict[str, list[str]] = defaultdict(list)
        for name in names:
            found[_host(owners.get(name))].append(name)
        return found

    def _serve(self, owners: Sequence[str], stop: Event) -> int:
        """Send some messages of watchlists; return the number of attempts."""
        began = monotonic()
        with self._store.read() as connection:
            due = due_deliveries(connection, self._clock(), _BATCH, owners)
        tried = 0
        for message in due:
            if stop.is_set() or monotonic() - began > SLOW:
                break
            self._send_one(message)
            tried += 1
        return tried

    def _send_one(self, message: Delivery) -> None:
        with self._store.read() as connection:
            owner = watchlist(connection, message.watchlist)
            there = find_delivery(connection, message.id)
        if there is None or there.status != "due":
            return  # cancelled meanwhile
        if owner is None or owner.webhook is None or not owner.active:
            after = replace(there, status="cancelled")
        else:
            body = body_of(there.body)
            kind = content_type_of(there.body)
            headers = headers_of(owner.secret, there.id, body, self._clock(), kind)
            problem = self._send(owner.webhook, body, headers)
            after = _after(replace(there, url=owner.webhook), problem, self._clock())
        self._count(after.status)
        with self._store.write() as connection:
            # its owner may have changed it during the call
            if find_delivery(connection, message.id) == there:
                put_deliveries(connection, [after])

    def _send(self, url: str, body: bytes, headers: dict[str, str]) -> str:
        """Make the call; return the problem, or an empty string on success."""
        try:
            with (
                self._web.client() as client,
                client.stream("POST", url, content=body, headers=headers) as answer,
            ):
                _read_start(answer)
                status = answer.status_code
        except FetchError as error:
            return str(error)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return str(error) or type(error).__name__
        return "" if httpx.codes.is_success(status) else f"it answered {status}"


class _Hosts:
    """Hosts that have a worker now, and slow hosts. Mutable, for any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._busy: dict[str, bool] = {}
        self._slow: dict[str, None] = {}
        self._returned = False

    def take(self, host: str) -> bool:
        """Reserve a worker for a host; return False if it may not have one."""
        with self._lock:
            slow = host in self._slow
            if host in self._busy or len(self._busy) >= WORKERS:
                return False
            if slow and sum(self._busy.values()) >= SLOW_WORKERS:
                return False
            self._busy[host] = slow
            return True

    def give_back(self, host: str, *, slow: bool) -> None:
        """Release the worker of a host."""
        with self._lock:
            self._busy.pop(host, None)
            self._slow.pop(host, None)
            if slow:
                self._slow[host] = None
                if len(self._slow) > _MAX_SLOW_HOSTS:
                    self._slow.pop(next(iter(self._slow)))
            self._returned = True

    def changed(self) -> bool:
        """Return whether a worker was released since the last call."""
        with self._lock:
            returned, self._returned = self._returned, False
            return returned


def _host(owner: Watchlist | None) -> str:
    """Return the host of a watchlist's webhook; empty if it has none."""
    if owner is None or owner.webhook is None or not owner.active:
        return ""
    try:
        return urlsplit(owner.webhook).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""


def _read_start(answer: httpx.Response) -> None:
    """Read a short answer to its end; a long one is cut off."""
    read = 0
    for piece in answer.iter_raw():
        read += len(piece)
        if read > _MAX_READ:
            return


def _after(message: Delivery, problem: str, now: datetime) -> Delivery:
    """Return a message after a call."""
    attempts = message.attempts + 1
    if not problem:
        return replace(message, status="sent", attempts=attempts, last_error=None)
    return replace(
        message,
        status="failed" if attempts >= ATTEMPTS else "due",
        attempts=attempts,
        next_at=now + BACKOFF.after(attempts),
        last_error=problem[:500],
    )
