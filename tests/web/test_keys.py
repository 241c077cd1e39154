"""Keys are known by their digests, whole or not at all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Scope

from ustory.web.keys import Keys, caller_of, digest_of, key_in, new_key


def _scope(*headers: tuple[bytes, bytes]) -> Scope:
    return {"type": "http", "headers": list(headers), "client": ("192.0.2.7", 1)}


@given(st.text(), st.text())
def test_only_the_same_key_is_known(one: str, other: str) -> None:
    keys = Keys.of([one, "another"])

    assert keys.know(one)
    assert keys.know(other) == (other in (one, "another"))


def test_no_key_is_never_known() -> None:
    assert not Keys.of(["a"]).know(None)
    assert not Keys(()).know("")


def test_new_keys_differ_and_are_long() -> None:
    made = {new_key() for _ in range(100)}

    assert len(made) == 100
    assert min(map(len, made)) >= 40


def test_a_digest_does_not_hold_the_key() -> None:
    assert "secret" not in digest_of("secret")


def test_the_header_may_be_written_in_any_case() -> None:
    assert key_in("bEARER  k ") == "k"
    assert key_in("Bearer ") is None
    assert key_in("Token k") is None


def test_callers_are_told_apart_by_their_keys_and_else_by_their_addresses() -> None:
    keys = Keys.of(["mine"])
    known = caller_of(_scope((b"authorization", b"Bearer mine")), keys)
    made_up = caller_of(_scope((b"authorization", b"Bearer other")), keys)

    assert known.id == f"key given-{digest_of('mine')[:8]}"
    assert made_up == caller_of(_scope(), keys)
    assert made_up.id == "address 192.0.2.7"
