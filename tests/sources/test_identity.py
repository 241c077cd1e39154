"""An article without an id gets the same one wherever it is read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.sources.records.identity import canonical_url, derived_id


@pytest.mark.parametrize(
    "url",
    [
        "https://news.org/a/b?id=7",
        "http://news.org/a/b?id=7",
        "HTTPS://News.ORG/a/b?id=7",
        "https://news.org:443/a/b/?id=7",
        "https://news.org/a/b?utm_source=x&id=7&fbclid=1&UTM_Medium=y",
        "https://news.org/a/b?id=7#comments",
        "https://news.org/a/b?id=7#xtor=RSS-3208",
        "https://news.org/a/b?id=7#utm_source=rss&utm_medium=feed",
        "https://news.org/a/b?id=7#:~:text=so",
        "https://news.org/a/b?id=7#",
        "https://reader@news.org/a/b?id=7",
    ],
)
def test_spellings_of_an_address_are_one(url: str) -> None:
    assert canonical_url(url) == "https://news.org/a/b?id=7"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://news.org/a", "https://news.org/b"),
        ("https://news.org/a", "https://news.org/A"),
        ("https://news.org/?p=1", "https://news.org/?p=2"),
        ("https://news.org/#/story/1", "https://news.org/#/story/2"),
        ("https://news.org/day#item1", "https://news.org/day#item2"),
        ("https://news.org/day#item1", "https://news.org/day"),
        ("https://news.org:8080/a", "https://news.org/a"),
        ("https://news.org/a?idx=1", "https://news.org/a"),
    ],
)
def test_different_addresses_stay_different(one: str, other: str) -> None:
    assert canonical_url(one) != canonical_url(other)


@pytest.mark.parametrize(
    "url",
    [
        "", "news", "/a/b", "ftp://news.org/a", "https://", "http://[::1", "https://x:y/a",
        "https://news.org", "http://news.org/?utm_source=x",
    ],
)  # fmt: skip
def test_what_names_no_article_has_no_canonical_address(url: str) -> None:
    assert canonical_url(url) is None


@given(st.text())
def test_the_canonical_address_of_any_text_is_its_own(url: str) -> None:
    canonical = canonical_url(f"https://news.org/{url}")

    assert canonical is None or canonical_url(canonical) == canonical


def test_an_id_comes_from_the_address_when_there_is_one() -> None:
    first = derived_id("https://news.org/a", "N", "Title", "Text")
    edited = derived_id("http://news.org/a?utm_source=x", "N", "New title", "Text")

    assert first == edited
    assert re.fullmatch(r"u:[0-9a-f]{16}", first)


def test_an_id_comes_from_the_content_when_there_is_no_address() -> None:
    one = derived_id(None, "N", "Title", "Text")

    assert re.fullmatch(r"c:[0-9a-f]{16}", one)
    assert one == derived_id("https://news.org/", "N", "Title", "Text")
    others = {
        derived_id(None, "N", "Title", "Other"),
        derived_id(None, "N", "Other", "Text"),
        derived_id(None, "M", "Title", "Text"),
        derived_id(None, "N", "TitleText", ""),
    }
    assert len(others - {one}) == 4
