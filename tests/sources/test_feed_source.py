"""One feed is a source like any other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.sources.documents import item, rss
from tests.sources.site import Reply, Site, serving, web
from ustory.core.errors import ConfigError
from ustory.sources.feeds.feed_source import FeedSource
from ustory.sources.http.errors import FetchError
from ustory.testing import check_source

NOW = datetime(2024, 3, 8, tzinfo=UTC)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        running.routes["/f"] = Reply(rss(*(item(f"T{n}", f"/{n}") for n in range(4))))
        yield running


def source(site: Site) -> FeedSource:
    return FeedSource(f"{site.url}/f", web(), lambda: NOW)


def test_it_keeps_the_contract_of_sources(site: Site) -> None:
    check_source(lambda: source(site))


def test_entries_that_come_later_or_change_are_found_behind_the_cursor(
    site: Site,
) -> None:
    *_, last = source(site).read()
    new = [item("T9", "/9"), *(item(f"T{n}", f"/{n}") for n in (1, 2)), item("X", "/3")]
    site.routes["/f"] = Reply(rss(*new))
    arrivals = list(source(site).read(last.cursor))
    assert [arrival.article.title for arrival in arrivals] == ["T9", "X"]
    assert list(source(site).read(arrivals[-1].cursor)) == []


@pytest.mark.parametrize("cursor", ["", "x", "5", '{"a": 1}', "[1]"])
def test_a_cursor_of_another_source_is_refused(site: Site, cursor: str) -> None:
    with pytest.raises(ConfigError, match="JSON list of digests"):
        list(source(site).read(cursor))


def test_an_answer_that_is_an_error_is_said_to_be_one(site: Site) -> None:
    site.routes["/f"] = Reply(status=500)
    with pytest.raises(FetchError, match="status 500"):
        list(source(site).read())
