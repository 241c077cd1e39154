"""Only public addresses are reached, however they are written."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError
from ustory.sources.http.errors import FetchError
from ustory.sources.http.guard import Guard, is_public, parse_networks

CLOSED = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.168.1.1",
    "198.19.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "3fff::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("text", CLOSED)
def test_an_address_that_is_not_public_is_refused(text: str) -> None:
    guard = Guard(resolver=lambda host, port: [text])
    with pytest.raises(FetchError, match="not a public address") as caught:
        guard.addresses("news.example", 443)
    assert caught.value.kind == "private"


@pytest.mark.parametrize(
    "text", ["93.184.216.34", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "2a00::1"]
)
def test_a_public_address_is_given_back_as_the_one_to_connect_to(text: str) -> None:
    guard = Guard(resolver=lambda host, port: [text])
    assert guard.addresses("news.example", 443) == (text,)


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_no_ipv4_address_is_public_that_python_knows_to_be_private(
    address: IPv4Address,
) -> None:
    if not address.is_global or address.is_multicast:
        assert not is_public(address)


@given(st.integers(0, 2**128 - 1).map(IPv6Address))
def test_no_ipv6_address_is_public_that_python_knows_to_be_private(
    address: IPv6Address,
) -> None:
    if not address.is_global or address.is_multicast:
        assert not is_public(address)


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_an_ipv4_address_inside_an_ipv6_address_is_never_public(
    address: IPv4Address,
) -> None:
    number = int(address)
    for form in (number, 0xFFFF << 32 | number, 0x2002 << 112 | number << 80):
        assert not is_public(IPv6Address(form))
    assert not is_public(IPv6Address(0x64FF9B << 96 | number))


def test_what_is_allowed_is_reached_and_nothing_beside_it() -> None:
    guard = Guard(allow=parse_networks(["127.0.0.1"]))
    assert guard.permits(ip_address("127.0.0.1"))
    assert not guard.permits(ip_address("127.0.0.2"))
    assert not guard.permits(ip_address("::ffff:127.0.0.1"))


def test_a_gateway_that_is_allowed_leads_to_public_addresses_only() -> None:
    guard = Guard(allow=parse_networks(["64:ff9b::/96", "10.0.0.0/8"]))
    assert guard.permits(ip_address("64:ff9b::8.8.8.8"))
    assert guard.permits(ip_address("64:ff9b::10.0.0.1"))
    assert not guard.permits(ip_address("64:ff9b::127.0.0.1"))


def test_of_several_addresses_only_the_public_ones_are_connected_to() -> None:
    guard = Guard(resolver=lambda host, port: ["10.0.0.1", "1.1.1.1", "::1"])
    assert guard.addresses("news.example", 80) == ("1.1.1.1",)


@pytest.mark.parametrize("host", ["0x7f.1", "2130706433", "017700000001", "127.1"])
def test_odd_spellings_of_this_machine_are_known(host: str) -> None:
    with pytest.raises(FetchError):
        Guard().addresses(host, 80)


def test_a_name_that_cannot_be_resolved_is_said_to_be_so() -> None:
    for host in ("no-such-host.invalid", "a" * 300, "a..b", "\ud800"):
        with pytest.raises(FetchError) as caught:
            Guard().addresses(host, 80)
        assert caught.value.kind == "name"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://news.example/a",
        "gopher://news.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "//news.example/a",
        "news.example",
        "http://",
        "http:///a",
        "http://[::1",
        "http://news.example:99999/",
        "",
    ],
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(FetchError) as caught:
        Guard().check_url(url)
    assert caught.value.kind == "address"


def test_networks_are_read_as_people_write_them() -> None:
    assert parse_networks([" 10.1.2.3/8 ", "::1"]) == (
        ip_network("10.0.0.0/8"),
        ip_network("::1/128"),
    )
    with pytest.raises(ConfigError, match="written like"):
        parse_networks(["localhost"])
