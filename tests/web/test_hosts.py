"""By which names the service answers, from where it is written to, whom it believes."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import GENEROUS, KEY, WRITER, open_service
from tests.web.running import running
from ustory.core.errors import ConfigError
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.limits import Rate
from ustory.web.security import Hosts, checked_url
from ustory.web.service import Rules

ARTICLE = {"title": "A quake in Kestrel Bay", "url": "https://a.example/quake"}


@pytest.mark.parametrize(
    ("bound", "asked", "allowed"),
    [("127.0.0.1", "localhost:8000", True), ("127.0.0.1", "127.0.0.1", True),
     ("127.0.0.1", "[::1]:8000", True), ("127.0.0.1", "NEWS.example.", True),
     ("127.0.0.1", "shop.example:81", True), ("127.0.0.1", "evil.example", False),
     ("127.0.0.1", "10.0.0.5", False), ("0.0.0.0", "10.0.0.5:8000", True),
     ("0.0.0.0", "evil.example", False), ("10.0.0.5", "10.0.0.5", True),
     ("127.0.0.1", "", False), ("127.0.0.1", "localhost@evil.example", False),
     ("127.0.0.1", "localhost.evil.example", False), ("127.0.0.1", "[::1", False)],
)  # fmt: skip
def test_a_service_answers_to_its_own_names(
    bound: str, asked: str, allowed: bool
) -> None:
    hosts = Hosts.of(bound, ["shop.example"], "https://news.example/stories")

    assert hosts.allow(asked) is allowed


def test_what_is_no_name_is_refused_in_words() -> None:
    with pytest.raises(ConfigError, match=r"written like news\.example"):
        Hosts.of("127.0.0.1", ["http://a/b"])
    with pytest.raises(ConfigError, match="--public-url"):
        checked_url("news.example")


def _client(database: Path, **changed: object) -> TestClient:
    rules = Rules(keys=Keys.of([KEY]), limits=GENEROUS)
    rules = replace(rules, hosts=Hosts.of("127.0.0.1", ["news.example"]), **changed)  # type: ignore[arg-type]
    return TestClient(
        create_app(open_service(database, rules)), base_url="http://localhost"
    )


def test_a_strange_name_reads_nothing_and_is_in_no_link(database: Path) -> None:
    with _client(database) as client:
        strange = {"Host": "evil.example"}
        refused = {
            path: client.get(path, headers=strange).status_code
            for path in ("/api/stories.atom", "/", "/metrics", "/api/openapi.json")
        }
        kind = client.get("/api/stories", headers=strange).json()["error"]["kind"]
        alive = client.get("/healthz", headers=strange).status_code
        ours = client.get("/api/stories.atom").status_code

    assert set(refused.values()) == {421}
    assert kind == "misdirected"
    assert (alive, ours) == (200, 200)


def test_links_in_feeds_begin_with_the_public_address(database: Path) -> None:
    with _client(database, public_url="https://news.example/ustory") as client:
        atom = client.get("/api/stories.atom").text

    assert 'href="https://news.example/ustory/api/stories.atom"' in atom
    assert "localhost" not in atom


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 200), ({"Origin": "http://localhost"}, 200),
     ({"Origin": "https://news.example"}, 200),
     ({"Origin": "https://evil.example"}, 403), ({"Origin": "null"}, 403),
     ({"Origin": "http://localhost:9999"}, 403), ({"Origin": "http://[::1"}, 403),
     ({"Sec-Fetch-Site": "same-origin"}, 200), ({"Sec-Fetch-Site": "none"}, 200),
     ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Sec-Fetch-Site": "same-site"}, 403)],
)  # fmt: skip
def test_pages_of_other_sites_write_nothing(
    database: Path, headers: dict[str, str], status: int
) -> None:
    with _client(database) as client:
        sent = client.post("/api/articles", json=ARTICLE, headers={**WRITER, **headers})
        read = client.get("/api/stories", headers=headers)

    assert sent.status_code == status
    assert read.status_code == 200


def _statuses(address: str) -> list[int]:
    """Return how a caller fares who says to be another each time."""
    with httpx.Client() as client:
        return [
            client.get(
                f"{address}/api/feeds", headers={"X-Forwarded-For": f"192.0.2.{number}"}
            ).status_code
            for number in range(6)
        ]


def test_only_a_proxy_that_was_named_says_who_calls(database: Path) -> None:
    limits = replace(GENEROUS, reads=Rate(burst=3, per_second=0.01))
    rules = Rules(keys=Keys.of([KEY]), limits=limits)
    named = replace(rules, proxies=(ip_network("127.0.0.1"),))
    found = []
    for each in (rules, named):
        service = open_service(database, each)
        with running(service) as address:
            found.append(_statuses(address))
        service.store.close()

    assert found[0] == [200] * 3 + [429] * 3, "a made-up header was believed"
    assert found[1] == [200] * 6


def test_what_a_caller_says_before_the_proxy_does_not_count(database: Path) -> None:
    limits = replace(GENEROUS, reads=Rate(burst=3, per_second=0.01))
    rules = Rules(
        keys=Keys.of([KEY]), limits=limits, proxies=(ip_network("127.0.0.1"),)
    )
    service = open_service(database, rules)
    with running(service) as address, httpx.Client() as client:
        said = [f"203.0.113.{number}, 192.0.2.1" for number in range(5)]
        statuses = [
            client.get(
                f"{address}/api/feeds", headers={"X-Forwarded-For": each}
            ).status_code
            for each in said
        ]
    service.store.close()

    assert statuses == [200] * 3 + [429] * 2
