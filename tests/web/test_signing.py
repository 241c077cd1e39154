"""Webhook calls can be checked by those who have the secret, and by no others."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from ustory.web.webhooks import (
    BACKOFF,
    IDEMPOTENCY,
    SIGNATURE,
    TIMESTAMP,
    body_of,
    headers_of,
    signature,
)

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)


def test_a_receiver_can_compute_the_signature_by_the_documented_recipe() -> None:
    body = body_of({"b": 1, "a": "ü"})
    headers = headers_of("secret", "d-1", body, NOW)

    signed = headers[TIMESTAMP].encode() + b"." + body
    expected = hmac.new(b"secret", signed, sha256).hexdigest()
    assert headers[SIGNATURE] == f"sha256={expected}"
    assert headers[IDEMPOTENCY] == "d-1"
    assert headers[TIMESTAMP] == str(int(NOW.timestamp()))


@given(st.binary(), st.binary(), st.integers(0, 2**40), st.integers(0, 2**40))
def test_another_body_or_time_has_another_signature(
    one: bytes, other: bytes, early: int, late: int
) -> None:
    same = (one, early) == (other, late)

    assert (signature("s", early, one) == signature("s", late, other)) == same


def test_without_a_secret_nothing_is_signed() -> None:
    assert SIGNATURE not in headers_of(None, "d-1", b"{}", NOW)


def test_the_same_message_has_the_same_bytes() -> None:
    assert body_of({"a": 1, "b": 2}) == body_of({"b": 2, "a": 1})


def test_waits_grow_and_are_bounded() -> None:
    waits = [BACKOFF.after(n) for n in range(1, 200)]

    assert waits == sorted(waits)
    assert waits[-1] == timedelta(hours=6)
