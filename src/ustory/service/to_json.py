"""Values converted to JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ustory.core.wording import utc_text


def plain(value: Any) -> Any:  # noqa: ANN401 - any value of ours
    """Return a value for JSON; times are written in UTC, with a Z.

    >>> from datetime import UTC
    >>> plain({"at": datetime(2024, 3, 7, tzinfo=UTC), "ids": ("a", "b")})
    {'at': '2024-03-07T00:00:00Z', 'ids': ['a', 'b']}
    """
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value
