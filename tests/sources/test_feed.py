"""Every kind of feed gives its articles, and no feed does harm."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sources.documents import item, rss
from ustory.sources.feeds.entry import MAX_ENTRIES, Feed
from ustory.sources.feeds.feed_document import read_feed
from ustory.sources.feeds.xml_document import harmless, without_doctype
from ustory.sources.http.errors import FetchError
from ustory.sources.records.fields import MAX_ARTICLE_BYTES
from ustory.testing.checks import check_article

NOW = datetime(2024, 3, 8, tzinfo=UTC)
NOON = datetime(2024, 3, 7, 12, tzinfo=UTC)
URL = "https://www.news.org/feeds/all"


def read(body: bytes, content_type: str = "application/rss+xml") -> Feed:
    feed = read_feed(body, url=URL, fetched_at=NOW, content_type=content_type)
    for found in feed.items:
        check_article(found.article)
    return feed


def test_an_rss_feed_gives_its_articles() -> None:
    feed = read(
        rss(item("Quake in Chile", "/quake", "It <b>shook</b>."), title="A &amp; B")
    )
    [found] = feed.items
    article = found.article
    assert feed.title == "A & B"
    assert (article.title, article.text) == ("Quake in Chile", "It shook.")
    assert (article.url, article.source) == ("https://www.news.org/quake", "news.org")
    assert (article.lang, article.fetched_at) == ("en", NOW)
    assert article.published_at == found.claimed_at == NOON
    assert found.summary_only


def test_an_atom_feed_gives_its_articles() -> None:
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de">
    <title>F</title><entry xml:base="https://o.org/d/">
    <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <b>b</b></div>
    </title>
    <link rel="alternate" href="e?id=1"/><updated>2024-03-07T13:00:00+01:00</updated>
    <author><name>Ann</name></author><author><name>Ben</name></author>
    <content type="html">&lt;p&gt;One&lt;/p&gt;&lt;p&gt;Two&lt;/p&gt;</content>
    </entry></feed>"""
    [found] = read(body, "application/atom+xml").items
    article = found.article
    assert (article.title, article.text) == ("A b", "One\nTwo")
    assert (article.url, article.lang) == ("https://o.org/d/e?id=1", "de")
    assert (article.authors, found.claimed_at) == (("Ann", "Ben"), NOON)
    assert not found.summary_only


def test_an_rdf_feed_gives_its_articles() -> None:
    body = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <channel><title>F</title></channel><item><title>A</title><link>https://o.org/a</link>
    <dc:date>2024-03-07T12:00:00Z</dc:date></item></rdf:RDF>"""
    [found] = read(body).items
    assert (found.article.url, found.claimed_at) == ("https://o.org/a", NOON)


def test_a_json_feed_gives_its_articles() -> None:
    body = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "F",
        "language": "fr-CA",
        "authors": [{"name": "Ann"}],
        "items": [
            {
                "id": "1",
                "url": "../a",
                "title": "<b>A</b>",
                "content_html": "<p>One</p><p>Two</p>",
                "date_published": "2024-03-07T12:00:00Z",
            },
            {"id": "2", "external_url": "https://o.org/b", "summary": "B", "author": 7},
            {"id": "3", "url": "javascript:x", "content_text": "C < D", "title": 5},
            "no item",
        ],
    }
    one, two, three = read(json.dumps(body).encode(), "application/json").items
    assert (one.article.title, one.article.text) == ("A", "One\nTwo")
    assert (one.article.url, one.article.lang) == ("https://www.news.org/a", "fr")
    assert (one.article.authors, one.claimed_at) == (("Ann",), NOON)
    assert (two.article.url, two.summary_only) == ("https://o.org/b", True)
    assert (two.claimed_at, two.article.published_at) == (None, NOW)
    assert (three.article.url, three.article.text) == (None, "C < D")


def test_a_feed_with_the_whole_content_is_not_only_a_summary() -> None:
    short = item("A", "/a", "in short", content="<p>The whole story.</p>")
    [found] = read(rss(short)).items
    assert (found.article.text, found.summary_only) == ("The whole story.", False)
    [long] = read(rss(item("A", "/a", "word " * 400))).items
    assert not long.summary_only


def test_scripts_in_titles_become_nothing_and_other_markup_plain_text() -> None:
    title = "<script>alert(1)</script>Quake <img src=x onerror=alert(1)>in <b>Chile</b>"
    [found] = read(rss(item(title, "/a"), title=title)).items
    assert found.article.title == "Quake in Chile"


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "data:text/html,x", "file:///a"]
)
def test_a_link_that_is_no_web_address_is_dropped(link: str) -> None:
    [found] = read(rss(item("Quake", link))).items
    assert found.article.url is None
    assert found.article.source == "news.org"


@pytest.mark.parametrize(
    ("date", "claim"),
    [
        ("Thu, 07 Mar 2024 12:00:00 GMT", NOON),
        ("2024-03-07T12:00:00Z", NOON),
        ("Thu, 07 Mar 2024 07:00:00 EST", NOON),
        ("Fri, 01 Jan 2999 00:00:00 GMT", datetime(2999, 1, 1, tzinfo=UTC)),
        ("Thu, 01 Jan 1970 00:00:00 GMT", datetime(1970, 1, 1, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", None),
        ("7th of Marchember", None),
        ("yesterday, I think", None),
        ("9" * 5000, None),
        ("", None),
    ],
)
def test_a_date_is_passed_on_as_it_is_claimed(
    date: str, claim: datetime | None
) -> None:
    [found] = read(rss(item("A", "/a", date=date))).items
    assert found.claimed_at == claim
    assert found.article.published_at == (claim or NOW)


def test_a_billion_laughs_are_not_laughed() -> None:
    names = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    head = f'<!DOCTYPE rss [<!ENTITY l0 "lol">{names}]>'
    body = rss(item("LAUGH"), item("B", "/b"), head=head).replace(b"LAUGH", b"x &l9; y")
    feed = read(body)
    assert [len(found.article.title) < 20 for found in feed.items] == [True, True]


def test_an_entity_that_is_used_very_often_does_not_grow() -> None:
    head = f'<!DOCTYPE rss [<!ENTITY a "{"x" * 10_000}">]>'
    body = rss(item("T", "/a", "LONG"), head=head).replace(b"LONG", b"&a;" * 10_000)
    [found] = read(body).items
    assert len(found.article.text) <= 40_000


def test_an_entity_that_names_a_file_is_not_read() -> None:
    head = '<!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/hostname">]>'
    [found] = read(rss(item("SECRET"), head=head).replace(b"SECRET", b"a&f;b")).items
    assert found.article.title == "a&f;b"


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE rss>",
        '<!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "http://n.org/rss.dtd">',
        "<!doctype rss [ <!-- ]> --> <!ENTITY a '<item>]>'> ]>",
        '<!-- a --><?b c?><!DOCTYPE r [<!ENTITY a "<b>">]> <!DOCTYPE s>',
    ],
)
def test_a_doctype_is_taken_out_whole(doctype: str) -> None:
    text = without_doctype(f"<?xml version='1.0'?>\n{doctype}\n<rss>'x'</rss>")
    assert "DOCTYPE" not in text.upper()
    assert text.endswith("<rss>'x'</rss>")


@pytest.mark.parametrize("name", ["utf-16", "utf-8-sig", "cp1252", "koi8-r"])
def test_a_feed_in_another_encoding_than_it_says_is_read(name: str) -> None:
    title = "Привет" if name == "koi8-r" else "Äpfel"
    body = rss(item(title, "/a")).decode().encode(name)
    header = f"text/xml; charset={name}" if name == "koi8-r" else "text/plain"
    [found] = read(body, header).items
    assert found.article.title == title


@pytest.mark.parametrize(
    "content_type", ["", "text/html", "image/png", "x", "\0;;=", "a/b; charset=\x00"]
)
def test_a_wrong_content_type_is_no_obstacle(content_type: str) -> None:
    assert len(read(rss(item("A", "/a")), content_type).items) == 1


def test_a_feed_that_breaks_off_gives_what_came_before() -> None:
    whole = rss(*(item(f"Title {n}", f"/{n}") for n in range(5)))
    assert len(read(whole[: len(whole) - 120]).items) >= 3


def test_a_feed_with_control_characters_and_bare_ampersands_is_read() -> None:
    body = rss(item("TITLE", "/a")).replace(b"TITLE", b"Fish & \x0b\x00chips &nbsp;ok")
    assert read(body).items[0].article.title == "Fish & chips ok"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"<html><body>Not found</body></html>",
        b"<!DOCTYPE html><html></html>",
        b"just words",
        b"{}",
        b"[]",
        b'{"items": 5}',
        b'{"items": ' + b"[" * 100_000,
        b'{"items": ' + b"9" * 100_000 + b"}",
        b"\x00\xff" * 1000,
        gzip.compress(b"<rss/>", mtime=0),
    ],
)
def test_what_is_no_feed_is_an_error_in_words(body: bytes) -> None:
    with pytest.raises(FetchError) as caught:
        read(body)
    assert caught.value.kind == "broken"


def test_an_empty_feed_is_a_feed() -> None:
    assert read(rss()).items == ()


def test_an_article_comes_once_however_often_the_feed_has_it() -> None:
    twice = [item("A", "/a"), item("A again", "/a?utm_source=rss"), item("B", "/b")]
    assert [found.article.title for found in read(rss(*twice)).items] == ["A", "B"]


def test_an_entry_with_nothing_in_it_is_left_out_and_said_so() -> None:
    feed = read(rss(item("", "/a"), item("B", "/b")))
    assert [found.article.title for found in feed.items] == ["B"]
    assert feed.problems == (
        f"{URL}: entry 1: an article needs a title or a text; this one has neither",
    )


def test_a_text_that_is_too_long_is_cut() -> None:
    body = rss(item("é" * 5_000, "/a", content="ä" * 700_000))
    [found] = read(body).items
    assert len(found.article.title) == 1_000
    size = len(found.article.title.encode()) + len(found.article.text.encode())
    assert MAX_ARTICLE_BYTES - 4 < size <= MAX_ARTICLE_BYTES


def test_entries_without_end_are_cut_off() -> None:
    feed = read(rss(*(item(f"T{n}", f"/{n}") for n in range(MAX_ENTRIES + 50))))
    assert len(feed.items) == MAX_ENTRIES
    assert "the later ones were left out" in feed.problems[-1]


def test_markup_without_end_is_cut_off() -> None:
    endless = rss(item("A", "/a"), "<a>" * 100_000, "&amp;" * 400_000).decode()
    assert harmless(endless).count("<") == 50_000
    assert harmless(endless.replace("<a>", "")).count("&") == 300_000
    feed = read(rss(item("A", "/a"), "<a>" * 2_000))
    assert [found.article.title for found in feed.items] == ["A"]


def test_markup_inside_a_literal_part_is_not_counted() -> None:
    content = "<p>a</p>" * 40_000
    [found] = read(rss(item("A", "/a", content=content))).items
    assert found.article.text.count("a") == 40_000


@given(st.binary(max_size=400))
def test_no_bytes_crash_it(noise: bytes) -> None:
    for body in (noise, rss(item("A", "/a"))[:300] + noise, b'{"items":[' + noise):
        try:
            read(body, "text/xml")
        except FetchError:
            continue


fragments = st.lists(
    st.sampled_from(
        [
            "<item>", "</item>", "<title>", "</title>", "<link>", "<entry", "&amp;",
            "&", "<", ">", "<![CDATA[", "]]>", "<!--", "-->", "<?xml ", "?>",
            "<pubDate>",
            "http://[", "xml:base='http://['", " xmlns='a'", "<content type='xhtml'>",
            "&#xD800;", "&#0;", "&#99999999999;", "<georss:point>1", "<media:group>",
            "<category term='", "<guid isPermaLink='true'>", "<enclosure url=", "x",
        ]
    ),
    max_size=12,
)  # fmt: skip


@given(fragments)
def test_no_broken_markup_crashes_it(parts: list[str]) -> None:
    body = rss(item("A", "/a"), "".join(parts))
    assert "A" in [found.article.title for found in read(body).items]


def test_entries_whose_links_differ_by_a_fragment_are_kept() -> None:
    body = rss(item("A", "/day#one"), item("B", "/day#two"), item("A", "/day#one"))
    feed = read_feed(body, url="https://news.example/f", fetched_at=NOW)
    assert [one.article.title for one in feed.items] == ["A", "B"]
