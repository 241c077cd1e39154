"""Webhook calls that the receiver can check: signed, dated, and safe to repeat."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from ustory.core.backoff import Backoff

SIGNATURE = "X-Ustory-Signature"
TIMESTAMP = "X-Ustory-Timestamp"
IDEMPOTENCY = "Idempotency-Key"
ATTEMPTS = 10
"""Calls made before a delivery is given up."""
BACKOFF = Backoff(timedelta(seconds=10), timedelta(hours=6))
"""Waits between these calls."""


def body_of(message: Mapping[str, Any]) -> bytes:
    """Return the bytes that are signed and sent: canonical JSON."""
    return json.dumps(message, sort_keys=True, separators=(",", ":")).encode("utf-8")


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """Return HMAC-SHA256 over time and body: `sha256=` and 64 hexadecimal digits.

    The time is part of it, so that an old call cannot be sent again as a new one.

    >>> signature("secret", 0, b"{}")[:20]
    'sha256=4bbe8d39de1ff'
    """
    signed = b"%d.%s" % (timestamp, body)
    return "sha256=" + hmac.new(secret.encode(), signed, sha256).hexdigest()


def headers_of(
    secret: str | None, delivery: str, body: bytes, now: datetime
) -> dict[str, str]:
    """Return the headers of a call; unsigned where there is no secret."""
    timestamp = int(now.timestamp())
    headers = {
        "Content-Type": "application/json",
        IDEMPOTENCY: delivery,
        TIMESTAMP: str(timestamp),
    }
    if secret:
        headers[SIGNATURE] = signature(secret, timestamp, body)
    return headers
