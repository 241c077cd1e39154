"""Documents from the web cost what their length says, however hostile they are."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.hostile.growth import check_growth
from tests.hostile.making import numbered, repeat
from ustory.core.errors import UStoryError
from ustory.sources.feeds.feed_state import FeedState, with_validators
from ustory.sources.feeds.markup import plain_line, plain_text, to_text
from ustory.sources.feeds.reader_pool import READERS
from ustory.sources.feeds.xml_document import harmless, with_few_attributes
from ustory.sources.http.client import read_body
from ustory.sources.http.errors import FetchError
from ustory.sources.http.politeness import parse_robots, retry_after
from ustory.sources.records.clean import clean, one_line

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)
URL = "https://news.example/feed"


MARKUP = {
    "blanks": repeat(" "),
    "blanks between lines": repeat("a" + " " * 500 + "\n" + "\t" * 500),
    "tabs without a line": repeat("a", "\t", "b"),
    "open tags": repeat("<"),
    "tags without an end": repeat("<a "),
    "quotes in tags": repeat("<a b='"),
    "attributes": repeat("<p", " a='1'", ">"),
    "open comments": repeat("<!--"),
    "open scripts": repeat("<script>"),
    "half closed scripts": repeat("<script></script "),
    "open sections": repeat("<![CDATA["),
    "nested": repeat("<div>"),
    "references": repeat("&amp;"),
    "references in references": repeat("&", "amp;", ""),
    "half references": repeat("&#x"),
    "long numbers": repeat("&#", "9", ";"),
    "long hexadecimal numbers": repeat("&#x", "f", ";"),
    "marks": repeat("a", "\u0301", ""),
    "marks in runs": repeat("a" + "\u0301\u0327" * 120),
    "letters of another alphabet": repeat("\u4e2d" * 255 + "a"),
    "dotted capitals": repeat("\u0130<!--"),
}


@pytest.mark.parametrize("make", MARKUP.values(), ids=MARKUP)
@pytest.mark.parametrize("work", [plain_text, plain_line, harmless])
def test_markup(work: Callable[[str], str], make: Callable[[int], str]) -> None:
    check_growth(work, make)


FEEDS = {
    "blanks in a title": repeat("<rss><channel><item><title>", " ", "x</title>"),
    "an author": repeat("<rss><channel><item><author>", "a", "</author></item>"),
    "an author in a section": repeat(
        "<rss><channel><item><author><![CDATA[", "a", "]]></author></item>"
    ),
    "a name": repeat("<feed><entry><author><name>", "a.", "</name></author></entry>"),
    "attributes": numbered("<rss><channel", " a{n}='1'", "><item><title>x"),
    "attributes without quotes": numbered("<rss><channel", " a{n}=1", "><item>"),
    "attributes in content": numbered(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'><p",
        " a{n}='1'",
        ">x</p></content></entry></feed>",
    ),
    "namespaces": numbered("<rss", " xmlns:a{n}='http://a/{n}'", "><channel><item>"),
    "nested": repeat("<rss><channel><item>", "<a>", ""),
    "nested entries": repeat("<rss><channel>", "<item>", ""),
    "nested content": repeat(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'>",
        "<div>",
        "",
    ),
    "entries": numbered("<rss><channel>", "<item><link>/{n}</link></item>", ""),
    "categories": numbered(
        "<rss><channel><item>", "<category>{n}</category>", "</item></channel></rss>"
    ),
    "links": numbered(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry>", "<link href='/{n}'/>", ""
    ),
    "dates": repeat("<rss><channel><item>", "<pubDate>1, 2 3</pubDate>", "</item>"),
    "a date": repeat("<rss><channel><item><pubDate>", "1 ", "</pubDate></item>"),
    "references": repeat("<rss><channel><item><title>", "&amp;", "</title>"),
    "open references": repeat("<rss><channel><item><title>", "&a", "</title>"),
    "sections": repeat("<rss><channel><item><title>", "<![CDATA[a]]>", "</title>"),
    "comments": repeat("<rss><channel><item>", "<!-- a -->", "</item>"),
    "instructions": repeat("<rss><channel><item>", "<?a b?>", "</item>"),
    "broken tags": repeat("<rss><channel><item><title>", "<a ", "</title>"),
    "doctypes": repeat("", "<!DOCTYPE a [ ", "<rss>"),
    "quotes in a doctype": repeat("<!DOCTYPE a [ ", "\"'", "]><rss>"),
    "prologue": repeat("", "<?xml a?>", "<rss><channel>"),
    "a list in JSON": repeat('{"items":[', "{},", "{}]}"),
    "a text in JSON": repeat('{"items":[{"content_html":"', " ", '"}]}'),
    "depth in JSON": repeat('{"items":', "[", ""),
    "digits in JSON": repeat('{"items":[], "a":', "9", "}"),
    "authors in JSON": repeat(
        '{"items":[{"title":"a","authors":[', '{"name":"a"},', ""
    ),
}


@pytest.mark.parametrize("make", FEEDS.values(), ids=FEEDS)
def test_feeds(make: Callable[[int], str]) -> None:
    check_growth(_read_apart, make, clock=_with_readers)


def _read_apart(text: str) -> None:
    """Read a feed in another process."""
    with _refused_for_what_it_is():
        READERS.feed(text.encode(), url=URL, fetched_at=NOW)


@contextmanager
def _refused_for_what_it_is() -> Iterator[None]:
    """Let a document be refused because it is no feed, and not for its cost."""
    try:
        yield
    except FetchError as error:
        if error.kind == "costly":
            raise


def _with_readers() -> float:
    """Return the seconds that this process and those that read have computed."""
    ticks = 0.0
    for reader in READERS._idle:
        fields = Path(f"/proc/{reader._process.pid}/stat").read_text().split()
        ticks += int(fields[13]) + int(fields[14])
    return time.process_time() + ticks / 100


PAGES = {
    "attributes": numbered("<html><body><p", " a{n}='1'", ">text</p>"),
    "attributes without quotes": numbered("<html><body><p", " a{n}", ">text</p>"),
    "blanks": repeat("<html><body><article><p>", " ", "x</p>"),
    "nested": repeat("<html><body>", "<div>", "text"),
    "nested inline": repeat("<html><body><p>", "<b>", "text"),
    "paragraphs": repeat(
        "<html><body><article>", "<p>The council met on Monday.</p>", "</article>"
    ),
    "links": numbered("<html><body><p>", "<a href='/{n}'>a b c</a> ", "</p>"),
    "lists": repeat("<html><body><ul>", "<li>a b c", "</ul>"),
    "breaks": repeat("<html><body><p>", "a<br>", "</p>"),
    "references": repeat("<html><body><p>", "&amp;", "</p>"),
    "comments": repeat("<html><body><p>", "<!---->", "</p>"),
    "metas": repeat("<html><head>", "<meta name='author' content='a b'>", "</head>"),
    "tables": repeat("<html><body>", "<table><tr><td>a", "</table>"),
    "quotes": repeat("<html><body><p>", "\u201e", "</p>"),
    "open tags": repeat("<html><body><p>", "<a ", "</p>"),
}


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_pages(make: Callable[[int], str]) -> None:
    def work(text: str) -> None:
        with _refused_for_what_it_is():
            READERS.text(text.encode(), "text/html; charset=utf-8")

    check_growth(work, make, clock=_with_readers)


DATED = {
    "metas": repeat("<head>", '<meta property="article:published_time" ', "</head>"),
    "contents": repeat("<head><meta ", "content='2024-03-07' ", "></head>"),
    "names": repeat("<body>", '"datePublished" ', "</body>"),
    "days": repeat("<body><p>", "2024-03-07 ", "</p></body>"),
    "times": repeat("<body>", "<time datetime='2024-03-07'>a</time>", "</body>"),
    "paragraphs": PAGES["paragraphs"],
}


@pytest.mark.parametrize("make", DATED.values(), ids=DATED)
def test_pages_of_archives(make: Callable[[int], str]) -> None:
    def work(text: str) -> None:
        with _refused_for_what_it_is():
            READERS.page(text.encode(), url=URL, fetched_at=NOW)

    check_growth(work, make, clock=_with_readers)


HEADERS = {
    "blanks": repeat("text/xml; charset=", " ", "!"),
    "charsets": repeat("charset"),
    "equals": repeat("text/xml; charset", "=", ""),
}


@pytest.mark.parametrize("make", HEADERS.values(), ids=HEADERS)
def test_headers(make: Callable[[int], str]) -> None:
    state = FeedState.new(URL, NOW)
    check_growth(lambda text: to_text(b"x", text), make)
    check_growth(lambda text: retry_after(text, NOW), make)
    check_growth(lambda text: with_validators(state, {"etag": text}), make)


BYTES = {
    "broken": b"\xff",
    "half characters": b"\xe2\x82",
    "declarations": b"<?xml encoding",
    "metas": b"<meta charset = ",
    "blanks": b" ",
}


@pytest.mark.parametrize("piece", BYTES.values(), ids=BYTES)
def test_bytes_as_text(piece: bytes) -> None:
    check_growth(to_text, lambda size: piece * (size // len(piece)))


def test_packed_bodies() -> None:
    def work(body: bytes) -> None:
        with suppress(FetchError):
            read_body(iter([body]), "gzip", 5_000_000)

    member = gzip.compress(b"")
    check_growth(work, lambda size: member * (size // len(member)))
    check_growth(work, lambda size: gzip.compress(b" " * size * 100))


ROBOTS = {
    "names like ours": numbered("", "User-agent: ustory{n}\n", "Disallow: /a\n"),
    "our name": repeat("", "User-agent: ustory\n", "Disallow: /a\n"),
    "rules": numbered("User-agent: *\n", "Disallow: /{n}\n", ""),
    "wildcards": repeat("User-agent: *\n", "Disallow: /*a*a*a*b\n", ""),
    "one long rule": repeat("User-agent: *\nDisallow: /", "*a", ""),
    "dollars": repeat("User-agent: *\nDisallow: /", "$", ""),
    "percents": repeat("User-agent: *\nDisallow: /", "%41", ""),
    "sitemaps": numbered("User-agent: *\n", "Sitemap: https://a/{n}\n", ""),
    "blanks": repeat("User-agent:", " ", "*"),
    "groups": numbered("", "User-agent: a\nUser-agent: *\nDisallow: /{n}\n", ""),
}


@pytest.mark.parametrize("make", ROBOTS.values(), ids=ROBOTS)
def test_robots(make: Callable[[int], str]) -> None:
    address = "https://news.example/" + "a" * 2_000

    def work(text: str) -> None:
        rules = parse_robots(text)
        for _ in range(10):
            rules.can_fetch(address, "ustory")

    check_growth(work, make)


OPML = {
    "blanks in a title": repeat(
        "<opml><outline title='", " ", "' xmlUrl='https://a.example/'/></opml>"
    ),
    "feeds": numbered("<opml>", "<outline xmlUrl='https://a.example/{n}'/>", "</opml>"),
    "attributes": numbered("<opml><outline", " a{n}='1'", "/></opml>"),
    "nested": repeat("<opml>", "<outline>", ""),
    "elements": repeat("<opml>", "<a/>", "</opml>"),
    "namespaces": numbered("<opml", " xmlns:a{n}='a'", "></opml>"),
    "a long address": repeat("<opml><outline xmlUrl='https://a/", " ", "'/></opml>"),
}


@pytest.mark.parametrize("make", OPML.values(), ids=OPML)
def test_lists_of_feeds(make: Callable[[int], str]) -> None:
    def work(text: str) -> None:
        with suppress(UStoryError):
            READERS.opml(text.encode())

    check_growth(work, make, clock=_with_readers)


@pytest.mark.parametrize("make", MARKUP.values(), ids=MARKUP)
def test_texts(make: Callable[[int], str]) -> None:
    check_growth(clean, make)
    check_growth(one_line, make)
    check_growth(with_few_attributes, make)


@pytest.fixture(autouse=True, scope="module")
def _closed() -> Iterator[None]:
    yield
    READERS.close()
