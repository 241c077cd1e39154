"""The whole article is read where a feed has a summary, and where we may."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from itertools import count
from threading import Event

import pytest

from tests.sources.site import HERE, Reply, Site, serving, web
from ustory.core.article import Article
from ustory.core.errors import MissingExtraError
from ustory.sources.feeds.entry import Fetched
from ustory.sources.feeds.fulltext import FullText
from ustory.sources.feeds.page import extract
from ustory.sources.feeds.reader_pool import ReaderLimits, Readers
from ustory.sources.http.client import Web, WebLimits
from ustory.sources.http.errors import FetchError
from ustory.sources.http.politeness import Spacing

NOW = datetime(2024, 3, 7, tzinfo=UTC)
SENTENCES = [
    f"In sentence number {n} the minister said that the bridge number {n} would open."
    for n in range(12)
]
PAGE = (
    "<html><head><title>Bridge</title></head><body><nav>Home</nav><article>"
    f"<h1>Bridge</h1>{''.join(f'<p>{s}</p>' for s in SENTENCES)}"
    "<script>evil()</script></article></body></html>"
).encode()
HTML = {"Content-Type": "text/html; charset=utf-8"}


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        running.routes["/a"] = Reply(PAGE, headers=HTML)
        yield running


def full_text() -> FullText:
    return FullText(web(), Spacing(0.0), lambda: NOW)


def summary(url: str | None) -> Fetched:
    article = Article(
        id="a", published_at=NOW, title="Bridge", text="A bridge opens.", url=url
    )
    return Fetched(article=article, claimed_at=None, summary_only=True)


def test_a_summary_is_replaced_by_the_whole_text(site: Site) -> None:
    item = summary(f"{site.url}/a")
    full = full_text().complete(item)
    assert all(sentence in full.article.text for sentence in SENTENCES)
    assert "evil" not in full.article.text
    assert not full.summary_only
    assert replace(full.article, text="") == replace(item.article, text="")
    assert site.paths == ["/robots.txt", "/a"]


def test_an_article_that_is_whole_is_not_looked_up(site: Site) -> None:
    item = replace(summary(f"{site.url}/a"), summary_only=False)
    assert full_text().complete(item) is item
    assert full_text().complete(summary(None)).summary_only
    assert site.asked == []


def test_what_robots_txt_forbids_is_not_read(site: Site) -> None:
    site.routes["/robots.txt"] = Reply(b"User-agent: ustory\nDisallow: /a")
    item = summary(f"{site.url}/a")
    assert full_text().complete(item) is item
    assert site.paths == ["/robots.txt"]


def test_what_robots_txt_forbids_is_not_taken_after_a_redirect_either(
    site: Site,
) -> None:
    site.routes["/robots.txt"] = Reply(b"User-agent: ustory\nDisallow: /a")
    site.routes["/b"] = Reply(status=302, headers={"Location": "/a"})
    item = summary(f"{site.url}/b")
    assert full_text().complete(item) is item


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500),
        Reply(status=302, headers={"Location": "http://169.254.169.254/"}),
        Reply(b"%PDF", headers={"Content-Type": "application/pdf"}),
        Reply(b"x" * 900_000, headers={"Content-Encoding": "br", **HTML}),
        Reply(b"", headers=HTML),
        Reply(b"<html><body>Pay!</body></html>", headers=HTML),
        Reply(bytes(range(256)) * 100, headers=HTML),
        Reply(b"<div>" * 20_000, headers=HTML),
    ],
)
def test_a_page_without_an_article_leaves_the_summary(site: Site, reply: Reply) -> None:
    site.routes["/a"] = reply
    item = summary(f"{site.url}/a")
    assert full_text().complete(item).article.text == "A bridge opens."


def test_why_a_page_is_not_read_is_said(site: Site) -> None:
    site.routes["/a"] = Reply(status=403)
    with pytest.raises(FetchError, match="status 403"):
        full_text().read(f"{site.url}/a")


def test_a_page_is_read_in_the_encoding_it_names(site: Site) -> None:
    body = PAGE.replace(b"minister", "ministère".encode("cp1252"))
    headers = {"Content-Type": "text/html; charset=windows-1252"}
    site.routes["/a"] = Reply(body, headers=headers)
    assert "ministère" in full_text().read(f"{site.url}/a")


def test_a_page_waits_no_longer_for_a_reader_than_it_has_time(site: Site) -> None:
    readers = Readers(ReaderLimits(processes=1))
    readers._busy = 1
    reading = FullText(web(), Spacing(0.0), lambda: NOW, readers)
    started = time.monotonic()
    with pytest.raises(FetchError) as caught:
        reading.read(f"{site.url}/a", 1.0)
    assert caught.value.kind == "busy"
    assert time.monotonic() - started < 5


def test_rules_that_must_be_asked_for_again_have_the_time_of_their_page(
    site: Site,
) -> None:
    days = count()
    over = Event()
    asked: list[str] = []

    def robots(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        if len(asked) > 1:
            over.wait(20)
        handler.send_response(404)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    site.raw["/robots.txt"] = robots
    patient = Web(allow=HERE, limits=WebLimits(connect=5.0, read=15.0, total=15.0))
    later = lambda: NOW + timedelta(days=2 * next(days))  # noqa: E731
    started = time.monotonic()
    try:
        with pytest.raises(FetchError):
            FullText(patient, Spacing(0.0), later).read(f"{site.url}/a", 1.0)
        assert time.monotonic() - started < 5
        assert len(asked) == 2
    finally:
        over.set()


def test_a_page_with_no_text_gives_none() -> None:
    assert extract("") == ""
    assert extract("<html></html>") == ""


def test_a_missing_package_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ustory\[serve\]'"):
        full_text()
