"""Links are made whole, and lead to the web or nowhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.sources.feeds.entry import resolve_link, site_of

BASE = "https://news.org/feeds/rss.xml"


@pytest.mark.parametrize(
    ("link", "whole"),
    [
        ("https://a.org/b", "https://a.org/b"),
        ("/a/b", "https://news.org/a/b"),
        ("a", "https://news.org/feeds/a"),
        ("//cdn.org/a", "https://cdn.org/a"),
        ("?id=7", "https://news.org/feeds/rss.xml?id=7"),
        (" https://a.org/b\n", "https://a.org/b"),
        ("https://a.org/b c", "https://a.org/b%20c"),
        ("javascript:alert(1)", None),
        (" JavaScript:alert(1)", None),
        ("java\nscript:alert(1)", None),
        ("\x01javascript:alert(1)", None),
        ("data:text/html,<script>", None),
        ("vbscript:x", None),
        ("file:///etc/passwd", None),
        ("mailto:a@b.org", None),
        ("http://", None),
        ("http://[::1", None),
        ("http://a:b/", None),
        ("", None),
        ("https://a.org/" + "x" * 20_000, None),
    ],
)
def test_a_link_is_a_whole_web_address_or_none(link: str, whole: str | None) -> None:
    assert resolve_link(link, BASE) == whole


@given(st.text(max_size=100), st.text(max_size=100))
def test_whatever_comes_out_leads_to_the_web(link: str, base: str) -> None:
    for against in (base, BASE):
        found = resolve_link(link, against)
        assert found is None or found.startswith(("http://", "https://"))


def test_a_site_goes_by_its_host() -> None:
    assert site_of("https://WWW.News.org:8080/a") == "news.org"
    assert site_of("http://[bad") == ""
