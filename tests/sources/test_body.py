"""A packed body is unpacked up to its limit, and no further."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sources.site import Reply, Site, serving, web
from ustory.sources.http.client import read_body
from ustory.sources.http.errors import FetchError

LIMIT = 100_000


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        yield running


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@given(st.binary(max_size=2000), st.integers(1, 300))
def test_every_encoding_gives_back_what_was_packed(data: bytes, size: int) -> None:
    packed = {
        "gzip": gzip.compress(data),
        "X-GZIP": gzip.compress(data),
        "deflate": zlib.compress(data),
        "identity": data,
        "": data,
    }
    for encoding, body in packed.items():
        assert read_body(cut(body, size), encoding, LIMIT) == data


def test_deflate_without_its_header_is_unpacked(site: Site) -> None:
    body = raw_deflate(b"hello" * 100)
    site.routes["/a"] = Reply(body, headers={"Content-Encoding": "deflate"})
    assert web().get(f"{site.url}/a").body == b"hello" * 100


def test_gzip_files_behind_each_other_are_one_body() -> None:
    body = gzip.compress(b"a" * 50) + gzip.compress(b"b" * 50)
    assert read_body(cut(body, 7), "gzip", LIMIT) == b"a" * 50 + b"b" * 50


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_bomb_is_stopped_at_the_limit(site: Site, encoding: str) -> None:
    packer = zlib.compressobj(wbits=31 if encoding == "gzip" else 15)
    zeros = b"\0" * 1_000_000
    bomb = b"".join(packer.compress(zeros) for _ in range(100)) + packer.flush()
    assert len(bomb) < 200_000
    site.routes["/a"] = Reply(bomb, headers={"Content-Encoding": encoding})
    with pytest.raises(FetchError) as caught:
        web().get(f"{site.url}/a")
    assert caught.value.kind == "too-large"


def test_very_many_empty_gzip_files_are_not_all_opened() -> None:
    body = gzip.compress(b"a") + gzip.compress(b"") * 3000 + gzip.compress(b"b")
    assert read_body([body], "gzip", LIMIT) == b"a"


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress", "\0"])
def test_what_cannot_be_unpacked_up_to_a_limit_is_refused(encoding: str) -> None:
    with pytest.raises(FetchError, match="packed as"):
        read_body([b"x"], encoding, LIMIT)


def test_exactly_the_limit_is_read_and_one_byte_more_is_not() -> None:
    assert len(read_body([b"x" * LIMIT], "", LIMIT)) == LIMIT
    packed = gzip.compress(b"x" * LIMIT)
    assert len(read_body([packed], "gzip", LIMIT)) == LIMIT
    for body, encoding in (
        (b"x" * LIMIT + b"x", ""),
        (gzip.compress(b"x" * LIMIT + b"x"), "gzip"),
    ):
        with pytest.raises(FetchError, match="100,000 bytes"):
            read_body([body], encoding, LIMIT)


def test_a_body_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    text = b"".join(b"%d," % n for n in range(5000))
    packed = gzip.compress(text)
    half = read_body([packed[: len(packed) // 2]], "gzip", LIMIT)
    assert half
    assert text.startswith(half)
    assert read_body([packed + b"rubbish"], "gzip", LIMIT) == text


@given(
    st.binary(max_size=500), st.integers(1, 100), st.sampled_from(["gzip", "deflate"])
)
def test_no_bytes_at_all_crash_it(data: bytes, size: int, encoding: str) -> None:
    assert len(read_body(cut(data, size), encoding, LIMIT)) <= LIMIT


def test_a_body_that_is_not_packed_although_it_says_so_is_taken_as_it_is() -> None:
    body = b"<rss>plain</rss>"
    for encoding in ("gzip", "deflate"):
        assert read_body(cut(body, 5), encoding, LIMIT) == body
