"""Documents of strangers are read elsewhere, and cost no more than they may."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.hostile.growth import Turns
from tests.sources.documents import item, rss
from ustory.core.errors import ConfigError
from ustory.sources.feeds.feed_document import read_feed
from ustory.sources.feeds.feed_list import Subscription
from ustory.sources.feeds.reader_pool import ReaderLimits, Readers
from ustory.sources.http.errors import FetchError

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)
URL = "https://news.example/feed"
QUICK = ReaderLimits(processes=1, seconds=1.0, per_megabyte=1.0)
# feedparser joins what stands between tags, and searches it in quadratic time.
PIECES = b"<i/>".join([b"a" * 400] * 2_500)
SLOW = b"<rss><channel><item><author>" + PIECES + b"</author></item></channel></rss>"


@pytest.fixture
def readers() -> Iterator[Readers]:
    pool = Readers(QUICK)
    yield pool
    pool.close()


def children() -> set[int]:
    found = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for path in found for pid in path.read_text().split()}


def test_a_feed_is_read_as_it_is_read_here(readers: Readers) -> None:
    body = rss(item("A", "/a", "Été — One."), item("B", "/b"), title="News")
    apart = readers.feed(body, url=URL, fetched_at=NOW, content_type="text/xml")
    assert apart == read_feed(body, url=URL, fetched_at=NOW, content_type="text/xml")
    assert [one.article.title for one in apart.items] == ["A", "B"]


def test_a_feed_that_is_none_is_refused_in_the_same_words(readers: Readers) -> None:
    with pytest.raises(FetchError, match="this is no feed") as caught:
        readers.feed(b"<html>", url=URL, fetched_at=NOW)
    assert caught.value.kind == "broken"


def test_a_document_that_takes_too_long_is_given_up(readers: Readers) -> None:
    readers.feed(rss(), url=URL, fetched_at=NOW)
    started = time.monotonic()
    with Turns() as turns, pytest.raises(FetchError, match="this feed took too long"):
        readers.feed(SLOW, url=URL, fetched_at=NOW)
    assert time.monotonic() - started < 5 * QUICK.allowed(len(SLOW)) + 5
    assert turns.longest < 0.1
    # Another process takes the place of the one that was ended.
    assert readers.feed(rss(item("A", "/a")), url=URL, fetched_at=NOW).items


def test_a_process_that_hangs_is_given_up_by_the_clock() -> None:
    readers = Readers(ReaderLimits(processes=1, seconds=0.4, patience=1.0))
    readers.feed(rss(), url=URL, fetched_at=NOW)
    [reader] = readers._idle
    os.kill(reader._process.pid, signal.SIGSTOP)
    with pytest.raises(FetchError, match="took too long"):
        readers.feed(rss(), url=URL, fetched_at=NOW)
    readers.close()


def test_a_document_that_takes_too_much_memory_is_given_up() -> None:
    readers = Readers(ReaderLimits(processes=1, memory=64 << 20))
    body = b"{" + b'"items":[' + b"[]," * 1_500_000 + b"0]}"
    with pytest.raises(
        FetchError, match=r"too much memory|ended the process"
    ) as caught:
        readers.feed(body, url=URL, fetched_at=NOW)
    assert caught.value.kind == "costly"
    readers.close()


def test_a_process_that_was_killed_is_replaced(readers: Readers) -> None:
    readers.feed(rss(), url=URL, fetched_at=NOW)
    [reader] = readers._idle
    os.kill(reader._process.pid, signal.SIGKILL)
    with pytest.raises(FetchError, match="ended the process"):
        readers.feed(rss(), url=URL, fetched_at=NOW)
    assert readers.feed(rss(item("A", "/a")), url=URL, fetched_at=NOW).items


def test_processes_are_few_reused_and_closed() -> None:
    before = children()
    readers = Readers(ReaderLimits(processes=2))
    threads = [
        threading.Thread(target=lambda: readers.feed(rss(), url=URL, fetched_at=NOW))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert 1 <= len(children() - before) <= 2
    readers.close()
    assert children() - before == set()


def test_a_process_is_replaced_after_many_documents() -> None:
    readers = Readers(ReaderLimits(processes=1, documents=2))
    seen = set()
    for _ in range(5):
        readers.feed(rss(), url=URL, fetched_at=NOW)
        seen |= {reader._process.pid for reader in readers._idle}
    readers.close()
    assert len(seen) == 3


def test_a_reader_knows_no_secrets_of_the_service(
    readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USTORY_API_KEYS", "secret")
    readers.feed(rss(), url=URL, fetched_at=NOW)
    [reader] = readers._idle
    environment = Path(f"/proc/{reader._process.pid}/environ").read_bytes()
    assert b"secret" not in environment


def test_lists_of_feeds_are_read_elsewhere_too(readers: Readers) -> None:
    data = b'<opml><outline text="A" xmlUrl="https://a.example/rss"/></opml>'
    assert readers.opml(data) == [Subscription("https://a.example/rss", "A")]
    with pytest.raises(ConfigError, match=r"^feeds\.opml is not OPML"):
        readers.opml(b"nothing", "feeds.opml")


def test_suspect_documents_keep_none_waiting_that_is_not() -> None:
    readers = Readers(ReaderLimits(processes=2, seconds=2.0, per_megabyte=0.0))
    readers.feed(rss(), url=URL, fetched_at=NOW)
    failed = []

    def hostile() -> None:
        try:
            readers.feed(SLOW, url=URL, fetched_at=NOW, suspect=True)
        except FetchError as error:
            failed.append(error)

    threads = [threading.Thread(target=hostile) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    for _ in range(3):
        readers.feed(rss(item("A", "/a")), url=URL, fetched_at=NOW)
    assert len(failed) < 3, "the hostile ones were done before"
    for thread in threads:
        thread.join(60)
    assert len(failed) == 3
    readers.close()


def test_a_document_that_finds_no_process_free_is_told_so() -> None:
    readers = Readers(replace(QUICK, wait=0.2))
    readers._busy = 1
    with pytest.raises(FetchError, match="this feed was not read") as caught:
        readers.feed(rss(), url=URL, fetched_at=NOW)
    assert caught.value.kind == "busy"
    readers._busy = 0
    assert readers.feed(rss(item("A", "/a")), url=URL, fetched_at=NOW).items
    readers.close()


def test_a_page_is_given_up_when_its_time_is_over() -> None:
    readers = Readers(ReaderLimits(processes=1))
    readers.text(b"<p>It rained.</p>")
    [reader] = readers._idle
    os.kill(reader._process.pid, signal.SIGSTOP)
    started = time.monotonic()
    with pytest.raises(FetchError, match="took too long"):
        readers.text(b"<p>It rained.</p>", seconds=0.5)
    assert time.monotonic() - started < 5
    readers.close()


def test_what_a_feed_costs_is_said(readers: Readers) -> None:
    many = rss(*(item(f"A{n}", f"/a{n}") for n in range(500)))
    readers.feed(rss(), url=URL, fetched_at=NOW)
    few = readers.feed(rss(item("A", "/a")), url=URL, fetched_at=NOW)
    assert 0 <= few.cost < readers.feed(many, url=URL, fetched_at=NOW).cost


_KILLED = """
import os, signal
from datetime import UTC, datetime
from tests.sources.documents import rss
from ustory.sources.feeds.reader_pool import READERS

READERS.feed(rss(), url="https://a.example/", fetched_at=datetime.now(UTC))
[reader] = READERS._idle
print(reader._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_reader_ends_with_a_service_that_was_killed() -> None:
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED], capture_output=True, check=False, timeout=60
    )
    assert killed.returncode == -signal.SIGKILL
    status = Path(f"/proc/{int(killed.stdout)}/stat")
    end = time.monotonic() + 20
    while status.exists() and ") Z " not in status.read_text():
        assert time.monotonic() < end, "it is still there"
        time.sleep(0.05)
