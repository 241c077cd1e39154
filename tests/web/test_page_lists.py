"""The watchlists and the sources as pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import open_service, the_service
from ustory.service.clock import wall_time
from ustory.sources.http.masking import feed_id
from ustory.store.feeds import add_feeds
from ustory.store.tables import FeedRow, Match, Watchlist
from ustory.store.watchlists import add_matches, put_watchlist
from ustory.web.app import create_app
from ustory.web.pages.sources import FAILING, NEW, OK, PAGE_SIZE, STOPPED, health
from ustory.web.service import Service

ATTACK = "<script>alert(1)</script>"
NOW = wall_time()
FEED = FeedRow(url="https://a.example/rss", title="A", added_at=NOW, articles=12)


def _page(client: TestClient, path: str, status: int = 200) -> str:
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    return answer.text


def _watch(service: Service, name: str = "Votes", matches: int = 0) -> str:
    """Make a watchlist that matched the first stories, and return its id."""
    slide, at = service.loop.slide, service.clock()
    with service.store.write() as connection:
        row = Watchlist(id="w1", name=name, created_at=NOW, keywords=("vote",))
        put_watchlist(connection, row)
        found = [
            Match(id=0, watchlist="w1", story=f"s{n:06d}", slide=slide, at=at)
            for n in range(1, matches + 1)
        ]
        add_matches(connection, found)
    return row.id


@pytest.mark.parametrize("path", ["/watch", "/sources"])
def test_a_list_of_nothing_says_so(tmp_path: Path, path: str) -> None:
    service = open_service(tmp_path / "empty.db")
    with TestClient(create_app(service)) as client:
        html = _page(client, path)
    service.store.close()

    assert 'class="nothing"' in html
    assert 'id="key-dialog"' in html


def test_watchlists_are_shown_with_the_stories_they_found(client: TestClient) -> None:
    service = the_service(client)
    _watch(service, matches=6)

    html = _page(client, "/watch")

    assert html.count('class="match-title"') == 4
    assert 'href="/watch/w1"' in html
    assert "All matches" in html
    assert 'data-remove="/api/watchlists/w1"' in html


def test_all_that_a_watchlist_found_has_a_page(client: TestClient) -> None:
    _watch(the_service(client), matches=9)

    html = _page(client, "/watch/w1")

    assert html.count("data-item") == 9
    assert 'href="/api/watchlists/w1/matches"' in html
    assert "there is no such watchlist" in _page(client, "/watch/none", 404)


def test_matches_come_in_pages_of_fifty(client: TestClient) -> None:
    _watch(the_service(client), matches=60)

    first = _page(client, "/watch/w1")
    second = _page(client, "/watch/w1?before=11")

    assert 'href="/watch/w1?before=11"' in first
    assert first.count("data-item") == 50
    assert second.count("data-item") == 10
    assert "Older" not in second


def test_names_of_watchlists_are_text(client: TestClient) -> None:
    _watch(the_service(client), name=ATTACK)

    for path in ("/watch", "/watch/w1"):
        html = _page(client, path)
        assert ATTACK not in html
        assert "&lt;script&gt;" in html


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (FEED, NEW),
        (replace(FEED, last_ok=NOW), OK),
        (replace(FEED, last_ok=NOW, failures=2), FAILING),
        (replace(FEED, active=False, failures=2), STOPPED),
    ],
)
def test_how_a_feed_does(row: FeedRow, expected: str) -> None:
    assert health(row) == expected


def test_feeds_are_shown_with_their_faults_those_that_fail_first(
    client: TestClient,
) -> None:
    hour = timedelta(hours=1)
    well = replace(FEED, last_ok=NOW - hour, next_at=NOW + hour)
    bad = replace(
        well,
        url="https://b.example/rss",
        title=ATTACK,
        failures=3,
        last_error=f"it said {ATTACK}",
    )
    with the_service(client).store.write() as connection:
        add_feeds(connection, [well, bad])

    html = _page(client, "/sources")

    assert "2 feeds: 1 failing and 1 ok." in html
    assert html.index("b.example") < html.index("a.example")
    assert ATTACK not in html
    assert "it said &lt;script&gt;" in html
    assert "failing, 3 times" in html
    assert f'data-remove="/api/feeds/{feed_id("https://b.example/rss")}"' in html


def test_an_address_that_is_not_of_the_web_is_no_link(client: TestClient) -> None:
    odd = replace(FEED, url="javascript:alert(1)", title="Odd")
    with the_service(client).store.write() as connection:
        add_feeds(connection, [odd])

    html = _page(client, "/sources")

    assert 'href="javascript' not in html
    assert "Odd" in html


def test_many_feeds_come_in_pages(client: TestClient) -> None:
    rows = [
        replace(FEED, url=f"https://a.example/{n}", title=f"Feed {n:04d}")
        for n in range(PAGE_SIZE + 5)
    ]
    with the_service(client).store.write() as connection:
        add_feeds(connection, rows)

    first, second = (
        _page(client, "/sources"),
        _page(client, f"/sources?start={PAGE_SIZE}"),
    )

    assert first.count("data-item") == PAGE_SIZE
    assert second.count("data-item") == 5
    assert f'href="/sources?start={PAGE_SIZE}"' in first


def test_files_and_streams_are_named_with_when_they_were_read(
    client: TestClient,
) -> None:
    the_service(client).intake.accept([], "archive.jsonl", cursor="7")

    html = _page(client, "/sources")

    assert "Also read" in html
    assert "archive.jsonl" in html
