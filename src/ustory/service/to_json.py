"""Values of ours as JSON can hold them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


def plain(value: Any) -> Any:  # noqa: ANN401 - any value of ours
    """Return a value as JSON can hold it; times are written in UTC, with a Z.

    >>> plain({"at": datetime(2024, 3, 7, tzinfo=UTC), "ids": ("a", "b")})
    {'at': '2024-03-07T00:00:00Z', 'ids': ['a', 'b']}
    """
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value
