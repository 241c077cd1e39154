"""What comes from the web comes from where it may, in time, and in bounds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_network

import pytest

from tests.sources.site import HERE, QUICK, Reply, Site, serving, web
from ustory.core.errors import ConfigError
from ustory.sources.http.client import Web, WebLimits, user_agent
from ustory.sources.http.errors import FetchError


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        yield running


def failure(call: Web, url: str) -> FetchError:
    with pytest.raises(FetchError) as caught:
        call.get(url)
    return caught.value


def test_a_page_is_fetched_under_our_own_name(site: Site) -> None:
    site.routes["/a"] = Reply(b"hello", headers={"ETag": '"1"'})
    answer = web(contact="https://me.example/bot").get(f"{site.url}/a", {"x-a": "b"})
    assert (answer.status, answer.body, answer.headers["etag"]) == (
        200,
        b"hello",
        '"1"',
    )
    [asked] = site.asked
    assert asked.headers["user-agent"].startswith("ustory/")
    assert asked.headers["user-agent"].endswith(" (+https://me.example/bot)")
    assert asked.headers["accept-encoding"] == "gzip, deflate"
    assert asked.headers["host"] == f"127.0.0.1:{site.port}"
    assert asked.headers["x-a"] == "b"


@pytest.mark.parametrize("contact", ["a\r\nx-evil: 1", "Ünä", "(a)", " ", "x" * 300])
def test_a_contact_that_would_break_the_header_is_refused(contact: str) -> None:
    with pytest.raises(ConfigError, match="contact"):
        user_agent(contact)


def test_this_machine_is_not_reached_unless_it_is_allowed(site: Site) -> None:
    error = failure(Web(limits=QUICK), f"{site.url}/a")
    assert error.kind == "private"
    assert site.asked == []


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "①②⑦.0.0.1",
        "user:pass@127.0.0.1",
    ],
)
def test_no_spelling_of_this_machine_gets_through(site: Site, host: str) -> None:
    assert failure(Web(limits=QUICK), f"http://{host}:{site.port}/a")
    assert site.asked == []


def test_a_redirect_to_a_private_address_is_not_followed(site: Site) -> None:
    with serving(host="127.0.0.2") as secret:
        target = f"{secret.url}/secret"
        site.routes["/a"] = Reply(status=302, headers={"Location": target})
        assert failure(web(), f"{site.url}/a").kind == "private"
        assert secret.asked == []


@pytest.mark.parametrize(
    "target",
    ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://a/", "data:,x"],
)
def test_a_redirect_to_another_scheme_is_not_followed(site: Site, target: str) -> None:
    site.routes["/a"] = Reply(status=301, headers={"Location": target})
    assert failure(web(), f"{site.url}/a").kind in ("address", "broken")
    assert site.paths == ["/a"]


def test_five_redirects_are_followed_and_a_sixth_is_not(site: Site) -> None:
    for number in range(7):
        location = {"Location": f"../{number + 1}"}
        site.routes[f"/{number}"] = Reply(status=307, headers=location)
    site.routes["/7"] = Reply(b"end")
    answer = web().get(f"{site.url}/2")
    assert (answer.body, answer.url) == (b"end", f"{site.url}/7")
    assert failure(web(), f"{site.url}/1").kind == "redirects"


def test_a_name_is_resolved_once_and_that_address_is_connected_to(site: Site) -> None:
    with serving(host="127.0.0.2") as secret:
        answers = iter([["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]])
        asked: list[str] = []

        def rebinding(host: str, port: int) -> list[str]:
            asked.append(host)
            return next(answers)

        site.routes["/a"] = Reply(b"public")
        out = Web(allow=HERE, limits=QUICK, resolver=rebinding)
        answer = out.get(f"http://news.example:{site.port}/a")
        assert (answer.body, asked) == (b"public", ["news.example"])
        assert site.asked[0].headers["host"] == f"news.example:{site.port}"
        # The second answer is private: it is checked anew, and refused.
        url = f"http://news.example:{secret.port}/a"
        assert failure(out, url).kind == "private"
        assert secret.asked == []


def test_a_redirect_resolves_and_checks_the_same_name_again(site: Site) -> None:
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    out = Web(allow=HERE, limits=QUICK, resolver=lambda host, port: next(answers))
    site.routes["/a"] = Reply(status=302, headers={"Location": "/b"})
    site.routes["/b"] = Reply(b"private")
    assert failure(out, f"http://news.example:{site.port}/a").kind == "private"
    assert site.paths == ["/a"]


def test_the_next_address_is_tried_when_the_first_does_not_answer(site: Site) -> None:
    out = Web(
        allow=(ip_network("127.0.0.0/8"),),
        limits=QUICK,
        resolver=lambda host, port: ["127.0.0.9", "127.0.0.1"],
    )
    site.routes["/a"] = Reply(b"here")
    assert out.get(f"http://news.example:{site.port}/a").body == b"here"


def test_proxies_of_the_environment_are_not_used(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        site.routes["/a"] = Reply(b"direct")
        assert web().get(f"{site.url}/a").body == b"direct"
        assert proxy.asked == []


def test_cookies_are_not_carried_to_the_next_request(site: Site) -> None:
    site.routes["/a"] = Reply(b"x", headers={"Set-Cookie": "id=1; Path=/"})
    out = web()
    out.get(f"{site.url}/a")
    out.get(f"{site.url}/a")
    assert all("cookie" not in asked.headers for asked in site.asked)


def test_a_host_that_is_not_there_is_said_to_be_so() -> None:
    with serving() as gone:
        url = gone.url
    assert failure(web(), url).kind == "connect"


def test_an_answer_that_never_comes_ends_in_time(site: Site) -> None:
    site.raw["/a"] = lambda handler: time.sleep(8)
    started = time.monotonic()
    out = web(WebLimits(connect=1, read=0.3, total=5))
    assert failure(out, f"{site.url}/a").kind == "timeout"
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("part", [b"X-A: 1\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_an_answer_that_drips_ends_when_the_total_time_is_over(
    site: Site, part: bytes
) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        if part.startswith(b"X"):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for _ in range(200):
            handler.wfile.write(part)
            time.sleep(0.05)

    site.raw["/a"] = drip
    started = time.monotonic()
    out = web(WebLimits(connect=1, read=1, total=0.5))
    assert failure(out, f"{site.url}/a").kind == "timeout"
    assert time.monotonic() - started < 5


def test_a_body_that_drips_ends_when_the_total_time_is_over(site: Site) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(200):
            handler.wfile.write(b"x")
            time.sleep(0.05)

    site.raw["/a"] = drip
    started = time.monotonic()
    out = web(WebLimits(connect=1, read=1, total=0.5))
    assert failure(out, f"{site.url}/a").kind == "timeout"
    assert time.monotonic() - started < 5


def test_a_body_of_a_hundred_megabytes_is_cut_off_early(site: Site) -> None:
    sent = []

    def pour(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(1600):
            handler.wfile.write(b"x" * 65_536)
            sent.append(65_536)

    site.raw["/a"] = pour
    assert failure(web(), f"{site.url}/a").kind == "too-large"
    assert sum(sent) < 50_000_000


def test_a_body_that_says_it_is_too_large_is_not_read(site: Site) -> None:
    site.routes["/a"] = Reply(b"", headers={"Content-Length": "100000000"})
    assert failure(web(), f"{site.url}/a").kind == "too-large"


def test_bodies_of_errors_and_redirects_are_not_read(site: Site) -> None:
    site.routes["/a"] = Reply(b"x" * 2_000_000, status=500)
    answer = web().get(f"{site.url}/a")
    assert (answer.status, answer.body) == (500, b"")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\x00\x01\x02",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000,
        b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n",
    ],
)
def test_an_answer_that_is_not_http_is_an_error_in_words(
    site: Site, answer: bytes
) -> None:
    def write(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(answer)
        handler.close_connection = True

    site.raw["/a"] = write
    assert failure(web(), f"{site.url}/a").kind == "broken"


@pytest.mark.parametrize("url", ["http://exa mple/", "http://a\x00b/", "http://xn--/"])
def test_an_address_that_is_not_one_is_an_error_in_words(url: str) -> None:
    with pytest.raises(FetchError):
        web().get(url)


def test_the_client_for_others_is_guarded_too(site: Site) -> None:
    site.routes["/a"] = Reply(b"hello")
    with web().client() as client:
        assert client.get(f"{site.url}/a").text == "hello"
    with (
        Web(limits=QUICK).client() as client,
        pytest.raises(FetchError, match="not a public address"),
    ):
        client.get(f"{site.url}/a")
