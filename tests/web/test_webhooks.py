"""Messages are carried until they are taken, and never to private addresses."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ustory.sources.http.client import Web, WebLimits
from ustory.sources.http.guard import parse_networks
from ustory.store import Store
from ustory.store.tables import Delivery, Watchlist
from ustory.store.watchlists import (
    delivery,
    put_deliveries,
    put_watchlist,
    remove_watchlist,
)
from ustory.web.webhooks import (
    ATTEMPTS,
    IDEMPOTENCY,
    SIGNATURE,
    TIMESTAMP,
    WebhookSender,
    signature,
)

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)
BODY = {"kind": "match", "story": {"id": "s000001", "headline": "Quäke"}}


EVENT = {"specversion": "1.0", "id": "w1.s000001", "text": "Votes: a vote", "url": "/"}


class Receiver:
    """A small web server that answers as it is told, and remembers."""

    def __init__(self) -> None:
        self.is_chat = False
        """Whether it takes nothing but messages with a text, as Slack does."""
        self.answers: list[int] = []
        self.calls: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.calls.append((dict(self.headers), body))
                status = receiver.answers.pop(0) if receiver.answers else 204
                if receiver.is_chat and not _shown(body):
                    status = 400
                self.send_response(status)
                if status == 307:
                    self.send_header("Location", "http://169.254.169.254/")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"


def _shown(body: bytes) -> bool:
    sent = json.loads(body)
    return isinstance(sent.get("text"), str) and bool(sent["text"])


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Return a receiver that listens."""
    receiver = Receiver()
    thread = threading.Thread(target=receiver.server.serve_forever)
    thread.start()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()
    thread.join()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return an empty store."""
    store = Store.open(str(tmp_path / "a.db"))
    yield store
    store.close()


class Hand:
    """A clock moved by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        """Return what it was set to."""
        return self.now


def _sender(store: Store, clock: Hand, *, private: bool = True) -> WebhookSender:
    allow = parse_networks(["127.0.0.0/8"] if private else [])
    return WebhookSender(store, Web(allow=allow, limits=WebLimits(total=5.0)), clock)


def _message(store: Store, url: str, body: Mapping[str, Any] = BODY) -> None:
    owner = Watchlist(
        id="w1", name="a", created_at=NOW, keywords=("b",), webhook=url, secret="s3"
    )
    message = Delivery(
        id="w1.s000001", watchlist="w1", match=1, url=url, next_at=NOW, body=body
    )
    with store.write() as connection:
        put_watchlist(connection, owner)
        put_deliveries(connection, [message])


def _kept(store: Store) -> Delivery:
    with store.read() as connection:
        found = delivery(connection, "w1.s000001")
    assert found is not None
    return found


def test_a_message_is_signed_dated_and_sent_once(
    store: Store, receiver: Receiver
) -> None:
    _message(store, receiver.url)
    sender = _sender(store, Hand())

    assert (sender.send_due(), sender.send_due()) == (1, 0)

    ((headers, body),) = receiver.calls
    assert json.loads(body) == BODY
    assert headers[TIMESTAMP] == str(int(NOW.timestamp()))
    assert headers[SIGNATURE] == signature("s3", int(headers[TIMESTAMP]), body)
    assert headers[IDEMPOTENCY] == "w1.s000001"
    assert _kept(store).status == "sent"


@pytest.mark.parametrize(
    ("body", "kind"),
    [(BODY, "application/json"), (EVENT, "application/cloudevents+json")],
)
def test_a_message_is_sent_as_what_it_was_written_as(
    store: Store, receiver: Receiver, body: dict[str, Any], kind: str
) -> None:
    _message(store, receiver.url, body)

    _sender(store, Hand()).send_due()

    ((headers, sent),) = receiver.calls
    assert headers["Content-Type"] == kind
    assert json.loads(sent) == body


def test_a_chat_takes_an_event_and_not_the_older_message(
    store: Store, receiver: Receiver
) -> None:
    receiver.is_chat = True
    _message(store, receiver.url)
    _sender(store, Hand()).send_due()
    old = _kept(store)
    _message(store, receiver.url, EVENT)
    _sender(store, Hand()).send_due()

    assert (old.status, old.last_error) == ("due", "it answered 400")
    assert _kept(store).status == "sent"


def test_a_message_that_is_not_taken_is_sent_again_later(
    store: Store, receiver: Receiver
) -> None:
    receiver.answers = [500, 429]
    _message(store, receiver.url)
    clock = Hand()
    sender = _sender(store, clock)

    tried = []
    for seconds in (0, 1, 9, 15, 5):
        clock.now += timedelta(seconds=seconds)
        tried.append(sender.send_due())

    assert tried == [1, 0, 1, 0, 1]
    assert _kept(store).status == "sent"
    keys = {headers[IDEMPOTENCY] for headers, _ in receiver.calls}
    assert (len(receiver.calls), keys) == (3, {"w1.s000001"})


def test_a_message_nobody_takes_is_given_up(store: Store, receiver: Receiver) -> None:
    receiver.answers = [503] * 100
    _message(store, receiver.url)
    clock = Hand()
    sender = _sender(store, clock)
    for _ in range(ATTEMPTS + 5):
        sender.send_due()
        clock.now += timedelta(days=1)

    kept = _kept(store)
    assert (kept.status, kept.attempts) == ("failed", ATTEMPTS)
    assert kept.last_error == "it answered 503"
    assert len(receiver.calls) == ATTEMPTS


@pytest.mark.parametrize("status", [302, 307])
def test_a_redirect_is_not_followed(
    store: Store, receiver: Receiver, status: int
) -> None:
    receiver.answers = [status]
    _message(store, receiver.url)

    _sender(store, Hand()).send_due()

    assert _kept(store).last_error == f"it answered {status}"
    assert len(receiver.calls) == 1


def test_private_addresses_are_not_reached(store: Store, receiver: Receiver) -> None:
    _message(store, receiver.url)

    _sender(store, Hand(), private=False).send_due()

    assert receiver.calls == []
    assert "not a public address" in (_kept(store).last_error or "")


def test_a_server_that_is_away_is_tried_again(store: Store) -> None:
    _message(store, "http://127.0.0.1:9/hook")

    _sender(store, Hand()).send_due()

    kept = _kept(store)
    assert (kept.status, kept.attempts) == ("due", 1)
    assert kept.next_at > NOW


def test_a_message_whose_watchlist_was_removed_is_not_brought_back(
    store: Store, receiver: Receiver
) -> None:
    _message(store, receiver.url)
    sender = _sender(store, Hand())
    with store.read() as connection:
        message = delivery(connection, "w1.s000001")
    assert message is not None
    with store.write() as connection:
        remove_watchlist(connection, "w1")

    sender._send_one(message)

    with store.read() as connection:
        assert delivery(connection, "w1.s000001") is None
    assert receiver.calls == []


def test_the_thread_carries_until_it_is_stopped(
    store: Store, receiver: Receiver
) -> None:
    stop = threading.Event()
    thread = threading.Thread(
        target=_sender(store, Hand()).run, args=(stop, 0.01), daemon=True
    )
    thread.start()
    _message(store, receiver.url)
    for _ in range(500):
        if _kept(store).status == "sent":
            break
        threading.Event().wait(0.01)
    stop.set()
    thread.join(5)

    assert not thread.is_alive()
    assert len(receiver.calls) == 1
