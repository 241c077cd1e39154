"""What a site asks robots not to read is not read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.sources.site import HERE, QUICK, Reply, Site, serving, web
from ustory.sources.http.client import Web
from ustory.sources.http.politeness import MAX_RULES, Robots, Spacing, parse_robots


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = datetime(2024, 3, 7, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the time it was set to."""
        return self.now


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        yield running


def robots(clock: Clock | None = None, out: Web | None = None) -> Robots:
    return Robots(out or web(), Spacing(0.0), clock or Clock())


def test_what_is_disallowed_may_not_be_read_and_the_rest_may(site: Site) -> None:
    text = b"User-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 7\n"
    site.routes["/robots.txt"] = Reply(text)
    rules = robots()
    assert rules.allows(f"{site.url}/a")
    assert not rules.allows(f"{site.url}/private/a")
    assert rules.allows(f"{site.url}/private/open/a")
    assert rules.delay(f"{site.url}/a") == 7.0
    assert site.paths == ["/robots.txt"]


def test_a_group_for_us_goes_before_that_for_all() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: Ustory\nDisallow: /no\n"
    rules = parse_robots(text)
    assert rules.can_fetch("https://a.org/a", "ustory")
    assert not rules.can_fetch("https://a.org/no", "ustory")


def test_a_group_for_others_does_not_concern_us() -> None:
    text = "User-agent: otherbot\nUser-agent: thirdbot\nDisallow: /\n"
    assert parse_robots(text).can_fetch("https://a.org/a", "ustory")


def test_a_group_for_us_and_others_concerns_us() -> None:
    text = "User-agent: otherbot\nuser-agent : ustory # us\nDisallow: /\n"
    assert not parse_robots(text).can_fetch("https://a.org/a", "ustory")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_site_without_rules_may_be_read(site: Site, status: int) -> None:
    site.routes["/robots.txt"] = Reply(status=status)
    assert robots().allows(f"{site.url}/a")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_site_that_cannot_tell_may_not_be_read(site: Site, status: int) -> None:
    site.routes["/robots.txt"] = Reply(status=status)
    assert not robots().allows(f"{site.url}/a")


def test_a_site_that_is_not_reached_or_not_permitted_may_not_be_read(
    site: Site,
) -> None:
    assert not robots(out=Web(limits=QUICK)).allows(f"{site.url}/a")
    assert site.asked == []


def test_rules_are_kept_for_a_day_and_a_failure_for_an_hour(site: Site) -> None:
    clock = Clock()
    rules = robots(clock)
    site.routes["/robots.txt"] = Reply(status=500)
    assert not rules.allows(f"{site.url}/a")
    site.routes["/robots.txt"] = Reply(b"")
    clock.now += timedelta(minutes=59)
    assert not rules.allows(f"{site.url}/a")
    clock.now += timedelta(minutes=2)
    assert rules.allows(f"{site.url}/a")
    site.routes["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /")
    clock.now += timedelta(hours=23)
    assert rules.allows(f"{site.url}/a")
    clock.now += timedelta(hours=2)
    assert not rules.allows(f"{site.url}/a")
    assert len(site.asked) == 3


def test_a_file_that_names_thousands_of_robots_does_no_harm() -> None:
    agents = "".join(f"User-agent: r{n}\n" for n in range(10_000))
    rules = "Disallow: /*a*a*a*a*b\n" * 10_000
    started = time.process_time()
    parsed = parse_robots(agents + rules + "User-agent: *\n" + rules)
    assert parsed.can_fetch("https://a.org/" + "a" * 2_000, "ustory")
    assert time.process_time() - started < 20


@pytest.mark.parametrize("body", [b"\x00\xff\xfe", b"<html>", b"User-agent", b":" * 99])
def test_rules_that_are_none_allow_everything(site: Site, body: bytes) -> None:
    site.routes["/robots.txt"] = Reply(body)
    assert robots().allows(f"{site.url}/a")


def test_a_file_that_names_thousands_of_robots_like_us_does_no_harm() -> None:
    agents = "".join(f"User-agent: ustory{n}\n" for n in range(3_000))
    rules = "".join(f"Disallow: /{n}\n" for n in range(6_000))
    started = time.process_time()
    parsed = parse_robots(agents + rules)
    assert parsed.can_fetch("https://a.org/1", "ustory")
    assert len(parsed._user_agents) == 0
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("name", "free"),
    [("ustory", False), ("Ustory/1.0", False), ("ustory1", True), ("ustory-x", True)],
)
def test_only_our_very_name_is_ours(name: str, free: bool) -> None:
    rules = parse_robots(f"User-agent: {name}\nDisallow: /\n")
    assert rules.can_fetch("https://a.org/a", "ustory") is free


def test_only_so_many_rules_are_kept() -> None:
    rules = "".join(f"Disallow: /{n}$\n" for n in range(2 * MAX_RULES))
    parsed = parse_robots("User-agent: *\n" + rules)
    assert not parsed.can_fetch("https://a.org/1", "ustory")
    assert parsed.can_fetch(f"https://a.org/{2 * MAX_RULES - 1}", "ustory")


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: ustory\nRequest-rate: 1/5\nUser-agent: *\nDisallow: /\n",
        "User-agent: ustory\nDisallow:\n\nUser-agent: *\nDisallow: /\n",
        "User-agent: ustory\nAllow: /\nSitemap: /s\nUser-agent: *\nDisallow: /\n",
    ],
)
def test_a_group_ends_where_it_has_ended(text: str) -> None:
    assert parse_robots(text).can_fetch("https://a.org/a", "ustory")


def test_rules_of_many_sites_do_not_fill_the_memory(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ustory.sources.http.politeness._MOST_KEPT", 250)
    text = "User-agent: *\n" + "Disallow: /x\n" * 99
    site.routes["/robots.txt"] = Reply(text.encode())
    out = Web(allow=HERE, limits=QUICK, resolver=lambda host, port: ["127.0.0.1"])
    rules = robots(out=out)
    for number in range(5):
        rules.allows(f"http://h{number}.example:{site.port}/a")
    assert len(rules._sites) == 2
    rules.allows(f"http://h4.example:{site.port}/a")
    assert len(site.asked) == 5
