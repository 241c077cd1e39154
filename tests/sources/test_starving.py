"""Dead hosts, slow feeds and slow pages keep no healthy feed waiting."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from threading import Event

import pytest

from tests.sources.documents import item, rss
from tests.sources.site import HERE, Reply, Site, serving
from ustory.sources.feeds import polling as feeds
from ustory.sources.feeds.entry import Feed
from ustory.sources.feeds.fulltext import FullText
from ustory.sources.feeds.polling import FeedPoller, FeedState, Polled, PollSettings
from ustory.sources.feeds.reader_pool import READERS, ReaderLimits, Readers
from ustory.sources.http.client import Web, WebLimits
from ustory.sources.http.politeness import Spacing

_LOG = logging.getLogger(__name__)
MINUTE = timedelta(minutes=1)


def now() -> datetime:
    return datetime.now(UTC)


@dataclass
class World:
    """A healthy site, one that trickles, a dead port and names that hang."""

    site: Site
    dead_port: int
    over: Event = field(default_factory=Event)

    def resolve(self, host: str, port: int) -> list[str]:
        """Return where a host is; names that begin with `lost` hang."""
        if host.startswith("lost"):
            self.over.wait(60)
            raise OSError("no such name")
        return ["127.0.0.1"]

    def url(self, host: str, path: str = "/feed", port: int | None = None) -> str:
        """Return an address of a host, all of which are this machine."""
        return f"http://{host}.example:{port or self.site.port}{path}"


@contextmanager
def world() -> Iterator[World]:
    # Nobody accepts here, and the queue is full: to connect takes for ever.
    deaf = socket.socket()
    deaf.bind(("127.0.0.1", 0))
    deaf.listen(0)
    callers = [socket.socket() for _ in range(4)]
    for caller in callers:
        caller.setblocking(False)
        caller.connect_ex(deaf.getsockname())
    with serving() as site:
        made = World(site, deaf.getsockname()[1])

        def trickle(handler: BaseHTTPRequestHandler) -> None:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
            while not made.over.wait(0.2):
                handler.wfile.write(b" ")

        site.routes["/feed"] = Reply(rss(item("A", "/a", "text " * 300)))
        site.raw["/trickle"] = trickle
        try:
            yield made
        finally:
            made.over.set()
            for each in (deaf, *callers):
                each.close()


def asked_for(site: Site, host: str) -> int:
    return sum(each.headers["host"].startswith(host) for each in site.asked)


def rounds(
    source: FeedPoller, states: Iterable[FeedState], seconds: float, until: str = ""
) -> Iterator[tuple[float, Polled]]:
    """Ask again and again for so long; yield what comes, and after how long."""
    known = {state.url: state for state in states}
    started = time.monotonic()
    while (took := time.monotonic() - started) < seconds:
        for polled in source.poll(known.values()):
            known[polled.state.url] = polled.state
            took = time.monotonic() - started
            yield took, polled
            if polled.state.url == until:
                return


def test_a_healthy_feed_does_not_wait_for_others() -> None:
    limits = WebLimits(connect=1.0, read=2.0, total=6.0)
    settings = PollSettings(
        every=MINUTE, workers=2, newcomers=8, slow=2, first=0.5, patience=0.2
    )
    with world() as there:
        out = Web(allow=HERE, limits=limits, resolver=there.resolve)
        source = FeedPoller(out, clock=now, settings=settings, spacing=Spacing(0.0))
        start = now() - MINUTE
        bad = [
            *(there.url(f"lost{n}") for n in range(30)),
            *(there.url(f"dead{n}", port=there.dead_port) for n in range(15)),
            *(there.url(f"slow{n}", "/trickle") for n in range(15)),
        ]
        states = [FeedState.new(url, start) for url in bad]
        # One that answered the last time, and one that is the last in its queue.
        proven = replace(FeedState.new(there.url("well"), start), last_ok=start)
        late = FeedState.new(there.url("young"), now())
        found: dict[str, float] = {}
        for took, polled in rounds(source, [*states, proven, late], 30, late.url):
            found[polled.state.url] = took
        assert found[proven.url] < 3
        # 60 feeds of half a second each, eight at a time, and some for a busy machine.
        assert found[late.url] < 15
        # A feed that is added while the others still hang is asked at once.
        fresh = FeedState.new(there.url("added"), now())
        [*_, (took, polled)] = rounds(source, [*states, fresh], 20, fresh.url)
        assert polled.state.last_error is None
        assert took < 5
        assert set(source.slow(0.1)) <= set(bad)


def test_a_feed_that_needs_longer_is_read_among_the_slow() -> None:
    settings = PollSettings(first=0.3)
    limits = WebLimits(connect=2.0, read=5.0, total=20.0)
    with world() as there:

        def slowly(handler: BaseHTTPRequestHandler) -> None:
            time.sleep(1.0)
            body = rss(item("S", "/s"))
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

        there.site.raw["/slowly"] = slowly
        out = Web(allow=HERE, limits=limits, resolver=there.resolve)
        source = FeedPoller(out, clock=now, settings=settings, spacing=Spacing(0.0))
        url = there.url("big", "/slowly")
        [polled] = source.poll([FeedState.new(url, now())])
        assert [each.article.title for each in polled.items] == ["S"]
        assert asked_for(there.site, "big") == 2
        [polled] = source.poll([FeedState.new(url, now())])
        assert asked_for(there.site, "big") == 3


def test_pages_that_trickle_hold_up_their_own_feed_alone() -> None:
    settings = PollSettings(
        every=MINUTE, readers=1, reading=1.0, first=5.0, patience=0.2
    )
    limits = WebLimits(connect=1.0, read=2.0, total=6.0)
    with world() as there:
        site = there.site
        site.routes["/robots.txt"] = Reply(b"")
        entries = [item(f"T{n}", f"/trickle?{n}", "In short.") for n in range(10)]
        for number in range(10):
            site.raw[f"/trickle?{number}"] = site.raw["/trickle"]
        site.routes["/tarpit"] = Reply(rss(*entries))
        out = Web(allow=HERE, limits=limits, resolver=there.resolve)
        spacing = Spacing(0.0)
        source = FeedPoller(
            out,
            clock=now,
            settings=settings,
            spacing=spacing,
            full_text=FullText(out, spacing, now),
        )
        tarpits = [there.url(f"pit{n}", "/tarpit") for n in range(4)]
        states = [FeedState.new(url, now()) for url in tarpits]
        well = FeedState.new(there.url("well"), now())
        found = {}
        for took, polled in rounds(source, [*states, well], 30):
            found[polled.state.url] = took, polled
            if len(found) == 5:
                break
        assert found[well.url][0] < 5
        for url in tarpits:
            _, polled = found[url]
            # What there was no time for comes the next time, and not at once.
            assert 1 <= len(polled.items) < 10
            assert polled.state.next_at > now() + MINUTE / 2
            assert polled.state.etag is None


def test_a_feed_for_which_no_reader_is_free_is_put_off_and_has_not_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readers = Readers(ReaderLimits(processes=1, wait=0.2))
    readers._busy = 1
    monkeypatch.setattr(feeds, "READERS", readers)
    start = now()
    with world() as there:
        out = Web(allow=HERE, resolver=there.resolve)
        source = FeedPoller(out, clock=lambda: start, spacing=Spacing(0.0))
        [polled] = source.poll([FeedState.new(there.url("well"), start)])
    assert "was not read" in (polled.state.last_error or "")
    assert polled.state.failures == 0
    assert polled.state.next_at == start + MINUTE


def test_a_feed_whose_last_document_was_costly_is_suspect_until_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    suspects: list[bool] = []
    costs = [feeds.COSTLY + 0.5, feeds.COSTLY / 2, 0.1]
    read = READERS.feed

    def watched(
        body: bytes, *, url: str, fetched_at: datetime, content_type: str, suspect: bool
    ) -> Feed:
        suspects.append(suspect)
        found = read(body, url=url, fetched_at=fetched_at, content_type=content_type)
        return replace(found, cost=costs[len(suspects) - 1])

    monkeypatch.setattr(READERS, "feed", watched)
    with world() as there:
        out = Web(allow=HERE, resolver=there.resolve)
        source = FeedPoller(out, clock=now, spacing=Spacing(0.0))
        state = replace(FeedState.new(there.url("well"), now()), last_ok=now())
        queues = []
        for _ in costs:
            queues.append(source._task(state).queue)
            [polled] = source.poll([state])
            state = replace(polled.state, next_at=now())
    assert suspects == [False, True, False]
    assert queues == ["feeds", "slow feeds", "feeds"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_thousand_dead_and_slow_hosts_delay_a_healthy_feed_by_no_interval() -> None:
    settings = PollSettings(every=MINUTE, patience=1.0)
    with world() as there:
        out = Web(allow=HERE, resolver=there.resolve)
        source = FeedPoller(out, clock=now, settings=settings, spacing=Spacing(1.0))
        start = now()
        bad = [
            *(there.url(f"lost{n}") for n in range(600)),
            *(there.url(f"dead{n}", port=there.dead_port) for n in range(200)),
            *(there.url(f"slow{n}", "/trickle") for n in range(200)),
        ]
        well = replace(FeedState.new(there.url("well"), start), last_ok=start)
        young = FeedState.new(there.url("young"), start)
        states = [*(FeedState.new(url, start) for url in bad), well, young]
        times: dict[str, list[float]] = {well.url: [], young.url: []}
        failed = 0
        for took, polled in rounds(source, states, 300):
            failed += polled.state.last_error is not None
            if polled.state.url in times:
                assert polled.state.last_error is None
                times[polled.state.url].append(took)
        pauses = [b - a for a, b in pairwise(times[well.url])]
        _LOG.info("%s, failed %d", times, failed)
        assert times[well.url][0] < 5
        assert max(pauses) < 1.1 * 60 + 10
        assert times[young.url][0] < 15 * 60
        assert failed >= 1_000
