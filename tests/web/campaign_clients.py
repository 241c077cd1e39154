"""Clients of the kill campaign: they send, edit and follow, whatever breaks."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from queue import Queue
from random import Random
from threading import Event as Signal
from threading import Thread
from typing import Any
from urllib.parse import quote

from tests.web.campaign_child import KEY
from ustory.core.article import Article

BATCH = 5
"""Articles of a request."""


@dataclass
class Report:
    """What a campaign counted. Mutable."""

    kills: Counter[str] = field(default_factory=Counter)
    survived: Counter[str] = field(default_factory=Counter)
    """Processes that were done before they were killed."""
    acknowledged: Counter[str] = field(default_factory=Counter)
    """Articles by their outcome."""
    retries: int = 0
    feeds: int = 0
    events: int = 0
    breaks: int = 0
    """How often the stream of events was interrupted."""
    seconds: float = 0.0


class Caller:
    """An HTTP client that tries again until it is answered. For one thread."""

    def __init__(self, port: int, stop: Signal, report: Report) -> None:
        self._port = port
        self._stop = stop
        self._report = report

    def call(
        self, method: str, path: str, body: object, good: Sequence[int]
    ) -> tuple[int, Any, int] | None:
        """Return status, JSON and number of tries; None when told to stop."""
        tries = 0
        while not self._stop.is_set():
            tries += 1
            answer = self._once(method, path, body)
            if answer is not None and answer[0] in good:
                self._report.retries += tries - 1
                return (*answer, tries)
            assert answer is None or answer[0] in (429, 503), answer
            time.sleep(0.02)
        return None

    def _once(self, method: str, path: str, body: object) -> tuple[int, Any] | None:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=20)
        headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent, headers)
            answer = connection.getresponse()
            read = answer.read()
            return answer.status, json.loads(read) if read else None
        except (OSError, HTTPException, ValueError):
            return None
        finally:
            connection.close()


@dataclass
class Sender:
    """Sends the stream, batch by batch, no further than it is allowed to."""

    caller: Caller
    stream: Sequence[Article]
    report: Report
    allowed: int = 0
    sent: int = 0

    def run(self, stop: Signal) -> None:
        """Send until all is acknowledged."""
        while self.sent < len(self.stream) and not stop.is_set():
            if self.sent >= self.allowed:
                time.sleep(0.005)
                continue
            some = self.stream[self.sent : self.sent + BATCH]
            body = {"articles": [_sent(each) for each in some]}
            answer = self.caller.call("POST", "/api/articles", body, [200])
            if answer is None:
                return
            for receipt in answer[1]["receipts"]:
                self.report.acknowledged[receipt["outcome"]] += 1
            self.sent += len(some)


@dataclass
class Editor:
    """Adds feeds and takes them out again, and knows which there must be."""

    caller: Caller
    report: Report
    there: set[str] = field(default_factory=set)

    def run(self, stop: Signal) -> None:
        """Edit the list until told to stop."""
        chance, number = Random(5), 0
        while not stop.is_set():
            if self.there and chance.random() < 0.4:
                url = chance.choice(sorted(self.there))
                path = f"/api/feeds?url={quote(url, safe='')}"
                answer = self.caller.call("DELETE", path, None, [204, 404])
                if answer is None:
                    return
                # 404 only where an earlier try was done and its answer lost
                assert answer[0] == 204 or answer[2] > 1
                self.there.remove(url)
            else:
                number += 1
                url = f"https://feed{number}.example/rss.xml"
                answer = self.caller.call(
                    "POST", "/api/feeds", {"url": url}, [201, 409]
                )
                if answer is None:
                    return
                assert answer[0] == 201 or answer[2] > 1
                self.there.add(url)
            self.report.feeds += 1
            time.sleep(0.03)


@dataclass
class Follower:
    """Follows the events, and goes on behind the last one after every break."""

    port: int
    report: Report
    heard: list[dict[str, Any]] = field(default_factory=list)

    def run(self, stop: Signal) -> None:
        """Listen until told to stop."""
        while not stop.is_set():
            connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
            last = self.heard[-1]["id"] if self.heard else 0
            try:
                connection.request(
                    "GET", "/api/events", headers={"Last-Event-ID": str(last)}
                )
                self._listen(connection.getresponse(), stop)
            except (OSError, HTTPException, ValueError):
                pass
            finally:
                connection.close()
            self.report.breaks += 1
            time.sleep(0.02)

    def _listen(self, answer: Any, stop: Signal) -> None:  # noqa: ANN401 - a response
        if answer.status != 200:
            return
        lines: dict[str, str] = {}
        while not stop.is_set():
            line = answer.readline().decode()
            if not line.endswith("\n"):
                return  # cut off: what has come of an event does not count
            if line.strip():
                name, _, value = line.strip().partition(": ")
                lines[name] = value
            elif "data" in lines:
                event = json.loads(lines["data"])
                assert event["id"] == int(lines["id"])
                self.heard.append(event)
                lines = {}


@contextmanager
def running(
    stop: Signal, failed: Queue[BaseException], *works: Callable[[Signal], None]
) -> Iterator[None]:
    """Run threads for a while; what they raise is put into a queue."""

    def guarded(work: Callable[[Signal], None]) -> None:
        try:
            work(stop)
        except BaseException as error:  # noqa: BLE001 - raised by whoever waits
            failed.put(error)

    threads = [Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if not failed.empty():
        raise failed.get()


def _sent(article: Article) -> Mapping[str, object]:
    return {
        "id": article.id,
        "title": article.title,
        "text": article.text,
        "url": article.url,
        "source": article.source,
        "lang": article.lang,
        "published_at": article.published_at.isoformat(),
    }
