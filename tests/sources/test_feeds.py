"""Feeds are asked when they are due, politely, and nothing they gave is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Lock

import pytest

from tests.sources.documents import item, rss
from tests.sources.site import HERE, QUICK, Asked, Reply, Site, serving, web
from ustory.core.errors import ConfigError
from ustory.sources.feeds.fulltext import FullText
from ustory.sources.feeds.polling import FeedPoller, FeedState, Polled, PollSettings
from ustory.sources.http.client import Web
from ustory.sources.http.politeness import Spacing

START = datetime(2024, 3, 7, 12, tzinfo=UTC)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        """Return the time it was set to."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        yield running


def feeds(clock: Clock, settings: PollSettings | None = None) -> FeedPoller:
    return FeedPoller(web(), clock=clock, settings=settings, spacing=Spacing(0.0))


def titles(polled: Polled) -> list[str]:
    return [found.article.title for found in polled.items]


def test_a_feed_gives_its_articles_and_is_due_again_later(
    site: Site, clock: Clock
) -> None:
    site.routes["/f"] = Reply(rss(item("A", "/a"), item("B", "/b"), title="News"))
    state = FeedState.new(f"{site.url}/f", START)
    polled = feeds(clock).ask(state)
    assert titles(polled) == ["A", "B"]
    after = polled.state
    assert (after.title, after.status, after.articles) == ("News", 200, 2)
    assert (after.last_ok, after.failures, after.last_error) == (START, 0, None)
    assert timedelta(minutes=13) < after.next_at - START < timedelta(minutes=17)


def test_a_feed_that_has_not_changed_is_asked_for_by_its_tags(
    site: Site, clock: Clock
) -> None:
    def answer(asked: Asked) -> Reply:
        if asked.headers.get("if-none-match") == '"v1"':
            return Reply(status=304)
        headers = {"ETag": '"v1"', "Last-Modified": "Thu, 07 Mar 2024 11:00:00 GMT"}
        return Reply(rss(item("A", "/a")), headers=headers)

    site.routes["/f"] = answer
    source = feeds(clock)
    first = source.ask(FeedState.new(f"{site.url}/f", START))
    second = source.ask(first.state)
    assert (titles(first), titles(second)) == (["A"], [])
    assert second.state.status == 304
    asked = site.asked[1].headers
    assert asked["if-modified-since"] == "Thu, 07 Mar 2024 11:00:00 GMT"
    # The tags are in the state alone, so a new process goes on in the same way.
    assert titles(feeds(clock).ask(second.state)) == []


def test_entries_that_were_given_and_kept_are_not_given_again(
    site: Site, clock: Clock
) -> None:
    source = feeds(clock)
    site.routes["/f"] = Reply(rss(item("A", "/a"), item("B", "/b")))
    state = source.ask(FeedState.new(f"{site.url}/f", START)).state
    edited = item("B edited", "/b", date="")
    site.routes["/f"] = Reply(rss(item("C", "/c"), item("A", "/a", date="x"), edited))
    polled = source.ask(state)
    assert titles(polled) == ["C", "B edited"]
    assert polled.state.articles == 4
    assert titles(source.ask(polled.state)) == []


def test_articles_whose_state_was_not_kept_are_given_again(
    site: Site, clock: Clock
) -> None:
    source = feeds(clock)
    headers = {"ETag": '"v1"'}
    site.routes["/f"] = Reply(rss(item("A", "/a")), headers=headers)
    old = FeedState.new(f"{site.url}/f", START)
    assert titles(source.ask(old)) == ["A"]
    assert titles(source.ask(old)) == ["A"]
    assert "if-none-match" not in site.asked[1].headers


def test_a_feed_that_is_gone_is_not_asked_again(site: Site, clock: Clock) -> None:
    site.routes["/f"] = Reply(status=410)
    source = feeds(clock)
    state = source.ask(FeedState.new(f"{site.url}/f", START)).state
    assert (state.active, state.status) == (False, 410)
    clock.now += timedelta(days=30)
    assert list(source.poll([state])) == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500, 502])
def test_a_feed_that_fails_is_asked_ever_more_rarely(
    site: Site, clock: Clock, status: int
) -> None:
    site.routes["/f"] = Reply(status=status)
    source = feeds(clock)
    state = FeedState.new(f"{site.url}/f", START)
    waits = []
    for _ in range(12):
        state = source.ask(state).state
        waits.append(state.next_at - clock.now)
    assert (state.failures, state.active, state.status) == (12, True, status)
    assert state.last_error == f"the answer has status {status}"
    assert waits[0] <= timedelta(minutes=15)
    assert timedelta(hours=12) <= waits[-1] <= timedelta(days=1)
    site.routes["/f"] = Reply(rss(item("A", "/a")))
    state = source.ask(state).state
    assert (state.failures, state.last_error) == (0, None)


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_asks_us_to_wait_is_left_alone_for_as_long(
    site: Site, clock: Clock, status: int
) -> None:
    site.routes["/f"] = Reply(status=status, headers={"Retry-After": "7200"})
    state = feeds(clock).ask(FeedState.new(f"{site.url}/f", START)).state
    assert state.next_at == START + timedelta(hours=2)
    site.routes["/f"] = Reply(status=status, headers={"Retry-After": "1"})
    state = feeds(clock).ask(FeedState.new(f"{site.url}/f", START)).state
    assert state.next_at >= START + timedelta(minutes=7)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(b"<html>"), "no feed"),
        (Reply(b"x" * 2_000_000), "1,000,000 bytes"),
        (Reply(status=302, headers={"Location": "http://10.0.0.1/"}), "not a public"),
        (Reply(status=302, headers={"Location": "file:///etc/passwd"}), "http and"),
        (Reply(status=302, headers={"Location": "/f"}), "5 times"),
        (Reply(b"x", headers={"Content-Encoding": "br"}), "packed as"),
    ],
)
def test_a_hostile_feed_is_a_failure_in_words(
    site: Site, clock: Clock, reply: Reply, error: str
) -> None:
    site.routes["/f"] = reply
    polled = feeds(clock).ask(FeedState.new(f"{site.url}/f", START))
    assert polled.items == ()
    assert polled.state.failures == 1
    assert error in (polled.state.last_error or "")


def test_an_error_of_our_own_fails_one_feed_and_not_the_others(
    site: Site, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **named: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("ustory.sources.feeds.reader_pool.Readers.feed", broken)
    site.routes["/f"] = Reply(rss())
    polled = feeds(clock).ask(FeedState.new(f"{site.url}/f", START))
    assert polled.state.last_error == "an error of ours: RuntimeError"


def test_tags_that_cannot_be_sent_back_are_not_kept(site: Site, clock: Clock) -> None:
    headers = {"ETag": "\u00e9" * 3, "Last-Modified": "x" * 600}
    site.routes["/f"] = Reply(rss(), headers=headers)
    state = feeds(clock).ask(FeedState.new(f"{site.url}/f", START)).state
    assert (state.etag, state.modified) == (None, None)


def test_only_feeds_that_are_due_and_active_are_asked(site: Site, clock: Clock) -> None:
    for name in "abc":
        site.routes[f"/{name}"] = Reply(rss(item(name, f"/x{name}")))
    due = FeedState.new(f"{site.url}/a", START)
    later = FeedState.new(f"{site.url}/b", START + timedelta(minutes=1))
    off = replace(FeedState.new(f"{site.url}/c", START), active=False)
    source = feeds(clock)
    assert [titles(polled) for polled in source.poll([due, later, off])] == [["a"]]
    clock.now += timedelta(minutes=1)
    assert source.due([later, off, due]) == [due, later]


def test_hosts_are_asked_at_the_same_time_and_each_for_one_feed_at_a_time() -> None:
    inside: dict[str, int] = {}
    most = {"one": 0, "all": 0}
    lock = Lock()

    def slow(asked: Asked) -> Reply:
        host = asked.headers["host"].partition(":")[0]
        with lock:
            inside[host] = inside.get(host, 0) + 1
            most["one"] = max(most["one"], inside[host])
            most["all"] = max(most["all"], sum(inside.values()))
        time.sleep(0.05)
        with lock:
            inside[host] -= 1
        return Reply(rss(item(asked.path, asked.path)))

    with serving() as site:
        hosts = [f"h{n}.example" for n in range(4)]
        paths = [f"/{n}" for n in range(5)]
        site.routes.update(dict.fromkeys(paths, slow))
        states = [
            FeedState.new(f"http://{host}:{site.port}{path}", START)
            for host in hosts
            for path in paths
        ]
        out = Web(
            allow=HERE,
            limits=QUICK,
            resolver=lambda host, port: ["127.0.0.1"],
        )
        source = FeedPoller(out, clock=lambda: START, spacing=Spacing(0.0))
        polled = list(source.poll(states))
    assert {one.state.url for one in polled} == {state.url for state in states}
    assert most["one"] == 1
    assert 2 <= most["all"] <= 4


def test_polling_can_be_left_half_way(site: Site, clock: Clock) -> None:
    for number in range(50):
        site.routes[f"/{number}"] = Reply(rss(item("A", "/a")))
    states = [FeedState.new(f"{site.url}/{number}", START) for number in range(50)]
    polling = feeds(clock).poll(states)
    next(polling)
    polling.close()  # type: ignore[attr-defined]
    assert len(site.asked) < 50


def full(clock: Clock, known: Sequence[str] = (), pages: int = 20) -> FeedPoller:
    out, spacing = web(), Spacing(0.0)
    return FeedPoller(
        out,
        clock=clock,
        settings=PollSettings(pages=pages),
        spacing=spacing,
        full_text=FullText(out, spacing, clock),
        known=lambda ids: set(known) & set(ids),
    )


def put_pages(site: Site, count: int) -> None:
    words = "".join(
        f"<p>The council met on day {n} of the year.</p>" for n in range(20)
    )
    page = f"<html><body><article>{words}</article></body></html>".encode()
    headers = {"Content-Type": "text/html"}
    for number in range(count):
        site.routes[f"/{number}"] = Reply(page, headers=headers)
    body = rss(*(item(f"T{n}", f"/{n}", "In short.") for n in range(count)))
    site.routes["/f"] = Reply(body, headers={"ETag": '"v1"'})


def test_summaries_are_completed_once(site: Site, clock: Clock) -> None:
    put_pages(site, 3)
    source = full(clock)
    polled = source.ask(FeedState.new(f"{site.url}/f", START))
    assert all("day 19" in found.article.text for found in polled.items)
    assert len(polled.items) == 3
    site.asked.clear()
    assert source.ask(polled.state).items == ()
    assert site.paths == ["/f"]


def test_full_texts_that_are_stored_are_not_read_again_after_a_restart(
    site: Site, clock: Clock
) -> None:
    put_pages(site, 3)
    polled = full(clock).ask(FeedState.new(f"{site.url}/f", START))
    known = [found.article.id for found in polled.items[:2]]
    site.asked.clear()
    again = full(clock, known).ask(replace(polled.state, etag=None))
    assert titles(again) == ["T2"]
    assert site.paths == ["/f", "/robots.txt", "/2"]


def test_full_texts_beyond_the_limit_come_the_next_times(
    site: Site, clock: Clock
) -> None:
    put_pages(site, 5)
    source = full(clock, pages=2)
    state = FeedState.new(f"{site.url}/f", START)
    found = []
    for _ in range(3):
        polled = source.ask(state)
        found.append(titles(polled))
        state = polled.state
    assert found == [["T0", "T1"], ["T2", "T3"], ["T4"]]
    assert state.etag == '"v1"'
    assert state.articles == 5


@pytest.mark.parametrize(
    "wrong",
    [
        {"every": timedelta(seconds=5)},
        {"longest": timedelta(minutes=5)},
        {"workers": 0},
        {"pages": 0},
    ],
)
def test_settings_that_would_be_rude_or_idle_are_refused(
    wrong: dict[str, object],
) -> None:
    with pytest.raises(ConfigError):
        PollSettings(**wrong)  # type: ignore[arg-type]
