"""Messages follow their owner's last word, and no receiver delays another's."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import GENEROUS, KEY, WRITER, open_service
from ustory.sources.http.client import Web, WebLimits
from ustory.sources.http.guard import parse_networks
from ustory.store.tables import Delivery
from ustory.store.watchlists import delivery, put_deliveries
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.service import Rules, Service
from ustory.web.webhooks import SIGNATURE, TIMESTAMP, WebhookSender, signature

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)
LOCAL = parse_networks(["127.0.0.0/8"])


class Receiver:
    """A web server that remembers its calls, and takes its time."""

    def __init__(self, delay: float = 0.0) -> None:
        self.calls: list[tuple[float, dict[str, str], bytes]] = []
        self.asked = threading.Event()
        self.goes_on = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.asked.set()
                receiver.goes_on.wait(delay)
                receiver.calls.append((time.monotonic(), dict(self.headers), body))
                self.send_response(204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"


@contextmanager
def receiving(delay: float = 0.0) -> Iterator[Receiver]:
    """Have a receiver that listens for a while."""
    receiver = Receiver(delay)
    thread = threading.Thread(target=receiver.server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield receiver
    finally:
        receiver.goes_on.set()
        receiver.server.shutdown()
        receiver.server.server_close()
        thread.join()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Return a service whose threads do not run."""
    rules = Rules(keys=Keys.of([KEY]), limits=GENEROUS, allow=LOCAL, wall=lambda: NOW)
    made = open_service(tmp_path / "a.db", rules)
    yield made
    made.store.close()


@pytest.fixture
def client(service: Service) -> TestClient:
    """Return a client that may write."""
    return TestClient(create_app(service), headers=WRITER)


def sender(service: Service, now: datetime = NOW) -> WebhookSender:
    """Return one who may reach this machine."""
    web = Web(allow=LOCAL, limits=WebLimits(total=5.0))
    return WebhookSender(service.store, web, lambda: now)


def watch(client: TestClient, url: str) -> tuple[str, str]:
    """Make a watchlist with a webhook; return its id and secret."""
    wanted = {"name": "a", "keywords": ["quake"], "webhook": url}
    made = client.post("/api/watchlists", json=wanted)
    assert made.status_code == 201, made.text
    return made.json()["id"], made.json()["secret"]


def post(service: Service, owner: str, url: str, story: str = "s000001") -> str:
    """Put a message on its way."""
    message = Delivery(
        id=f"{owner}.{story}",
        watchlist=owner,
        match=1,
        url=url,
        next_at=NOW,
        body={"story": story},
    )
    with service.store.write() as connection:
        put_deliveries(connection, [message])
    return message.id


def kept(service: Service, name: str) -> Delivery:
    """Return a message as it stands."""
    with service.store.read() as connection:
        found = delivery(connection, name)
    assert found is not None
    return found


def test_a_message_goes_to_the_new_address_with_its_secret(
    service: Service, client: TestClient
) -> None:
    with receiving() as old, receiving() as new:
        owner, first = watch(client, old.url)
        name = post(service, owner, old.url)
        wanted = {"name": "a", "keywords": ["quake"], "webhook": new.url}
        changed = client.put(f"/api/watchlists/{owner}", json=wanted).json()

        assert sender(service).send_due() == 1

        assert old.calls == []
        ((_, headers, body),) = new.calls
        secret = changed["secret"]
        assert secret != first
        assert headers[SIGNATURE] == signature(secret, int(headers[TIMESTAMP]), body)
        assert kept(service, name).status == "sent"


def test_a_message_that_waits_for_an_old_address_is_sent_anew(
    service: Service, client: TestClient
) -> None:
    with receiving() as new:
        owner, _ = watch(client, "http://127.0.0.1:9/hook")
        name = post(service, owner, "http://127.0.0.1:9/hook")
        sender(service).send_due()
        assert kept(service, name).attempts == 1
        wanted = {"name": "a", "keywords": ["quake"], "webhook": new.url}
        client.put(f"/api/watchlists/{owner}", json=wanted)

        assert sender(service).send_due() == 1
        assert kept(service, name).attempts == 1
        assert len(new.calls) == 1


@pytest.mark.parametrize("how", ["webhook", "active", "removed"])
def test_a_message_is_cancelled_when_its_webhook_is_taken_away(
    service: Service, client: TestClient, how: str
) -> None:
    with receiving() as receiver:
        owner, _ = watch(client, receiver.url)
        name = post(service, owner, receiver.url)
        wanted: dict[str, object] = {"name": "a", "keywords": ["quake"]}
        if how == "active":
            wanted |= {"webhook": receiver.url, "active": False}
        path = f"/api/watchlists/{owner}"
        if how == "removed":
            assert client.delete(path).status_code == 204
        else:
            assert client.put(path, json=wanted).status_code == 200
            assert kept(service, name).status == "cancelled"

        for days in range(12):
            sender(service, NOW + timedelta(days=days)).send_due()

        assert receiver.calls == []


def test_a_message_on_its_way_is_not_sent_again_after_it_was_cancelled(
    service: Service, client: TestClient
) -> None:
    with receiving(delay=5.0) as receiver:
        owner, _ = watch(client, receiver.url)
        name = post(service, owner, receiver.url)
        sending = threading.Thread(target=sender(service).send_due)
        sending.start()
        assert receiver.asked.wait(5)
        client.put(f"/api/watchlists/{owner}", json={"name": "a", "keywords": ["b"]})
        receiver.goes_on.set()
        sending.join()
        assert kept(service, name).status == "cancelled"


def test_slow_receivers_do_not_delay_another(
    service: Service, client: TestClient
) -> None:
    stop = threading.Event()
    with ExitStack() as stack:
        stack.callback(stop.set)
        slow = [stack.enter_context(receiving(delay=30.0)) for _ in range(10)]
        for receiver in slow:
            owner, _ = watch(client, receiver.url)
            for number in range(10):
                post(service, owner, receiver.url, f"s{number:06}")
        thread = threading.Thread(target=sender(service).run, args=(stop, 0.05))
        thread.start()
        stack.callback(thread.join)
        stack.callback(stop.set)
        assert all(receiver.asked.wait(5) for receiver in slow)
        quick = stack.enter_context(receiving())
        began = time.monotonic()
        owner, _ = watch(client, quick.url)
        names = [post(service, owner, quick.url, f"s{n:06}") for n in range(30)]
        while len(quick.calls) < len(names):
            assert time.monotonic() < began + 3.0, f"{len(quick.calls)} of 30 came"
            time.sleep(0.01)
        for receiver in slow:
            receiver.goes_on.set()


def test_one_receiver_has_one_call_at_a_time(
    service: Service, client: TestClient
) -> None:
    stop = threading.Event()
    with receiving(delay=0.3) as receiver:
        for _ in range(4):
            owner, _ = watch(client, receiver.url)
            post(service, owner, receiver.url)
        thread = threading.Thread(target=sender(service).run, args=(stop, 0.05))
        thread.start()
        try:
            until = time.monotonic() + 10
            while len(receiver.calls) < 4 and time.monotonic() < until:
                time.sleep(0.02)
        finally:
            stop.set()
            thread.join()
        times = [at for at, _, _ in receiver.calls]
        gaps = [b - a for a, b in pairwise(times)]
    assert len(times) == 4
    assert min(gaps) > 0.2
