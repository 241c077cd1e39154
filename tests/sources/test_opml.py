"""Lists of feeds go in and out, and hostile ones stay out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError
from ustory.sources.feeds.feed_list import Subscription
from ustory.sources.feeds.opml import read_opml, write_opml

NOW = datetime(2024, 3, 7, tzinfo=UTC)


def opml(body: str) -> bytes:
    return f'<opml version="1.0"><body>{body}</body></opml>'.encode()


def test_feeds_are_found_in_every_folder_and_each_once() -> None:
    data = opml(
        '<outline text="World"><outline text="A" xmlUrl="https://a.org/rss"/>'
        '<outline text="Deep"><outline title="B &amp;amp; b" text="no" '
        'xmlUrl=" https://b.org/rss "/></outline></outline>'
        '<outline text="again" xmlurl="https://a.org/rss"/>'
        '<outline text="no feed" htmlUrl="https://c.org"/>'
        '<outline text="evil" xmlUrl="javascript:x"/>'
        '<outline text="local" xmlUrl="file:///etc/passwd"/>'
        '<outline text="relative" xmlUrl="/rss"/>'
    )
    assert read_opml(data) == [
        Subscription("https://a.org/rss", "A"),
        Subscription("https://b.org/rss", "B & b"),
    ]


@given(
    st.dictionaries(
        st.from_regex(r"https://[a-z]{1,9}\.org/[a-z?=&%]{0,9}", fullmatch=True),
        st.text(max_size=30),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_written_is_read_back(feeds: dict[str, str]) -> None:
    written = write_opml([Subscription(u, t) for u, t in feeds.items()], NOW)
    assert [one.url for one in read_opml(written)] == list(feeds)


def test_titles_survive_the_way_there_and_back() -> None:
    feeds = [Subscription("https://a.org/", 'Tom & "Jerry" Ünder 5 < 6')]
    assert read_opml(write_opml(feeds, NOW)) == feeds


def test_entities_are_refused() -> None:
    laughs = b'<!DOCTYPE o [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    with pytest.raises(ConfigError, match="DOCTYPE"):
        read_opml(laughs + opml('<outline text="&b;" xmlUrl="https://a.org/"/>'))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not xml",
        b"<opml>",
        b"<rss/>",
        b"\xff\xfe\x00",
        b'<?xml version="1.0" encoding="no-such"?><opml/>',
        b"<opml><body/></opml>",
        b"<opml>" + b"<outline>" * 1000,
    ],
)
def test_what_is_no_list_of_feeds_is_an_error_that_names_the_file(data: bytes) -> None:
    with pytest.raises(ConfigError, match=r"^feeds\.opml "):
        read_opml(data, "feeds.opml")


def test_a_list_that_is_too_large_is_refused() -> None:
    with pytest.raises(ConfigError, match="bytes"):
        read_opml(b" " * 20_000_001)
