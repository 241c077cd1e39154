"""A record's values, found under whichever of the known names they have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isnan

from ustory.core.errors import InputError
from ustory.sources.records.problems import Place, shown

NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "guid", "uid", "article id"),
    "published_at": (
        "published at", "published", "date", "pub date", "publish date",
        "published date", "publication date", "date published", "date publish",
        "created at", "timestamp", "datetime", "time",
    ),
    "title": ("title", "headline"),
    "text": (
        "text", "body", "content", "maintext", "full text", "article body",
        "description", "summary",
    ),
    "url": ("url", "link"),
    "lang": ("lang", "language"),
    "fetched_at": ("fetched at", "crawled at", "date download"),
    "source": ("source", "publisher", "outlet", "domain", "source domain"),
    "authors": ("authors", "author", "byline"),
    "label": (
        "story", "label", "cluster", "event", "story id", "cluster id", "event id",
    ),
}  # fmt: skip
"""The names each field of an article may have, the most trusted first.

Letter case, spaces and punctuation make no difference: `pub date` is also pubDate
and pub_date.
"""

_LONGEST_NAME = 40
_JOINTS = re.compile(r"[\W_]+")


def plain(name: str) -> str:
    """Return a field name without letter case, spaces and punctuation.

    >>> plain("publishedAt") == plain("Published_at") == plain("published at")
    True
    """
    return _JOINTS.sub("", name[: _LONGEST_NAME + 1]).lower()


_SPELLINGS = {
    field: tuple(plain(name) for name in names) for field, names in NAMES.items()
}
_KNOWN = frozenset(name for names in _SPELLINGS.values() for name in names)


def is_known(name: str) -> bool:
    """Tell whether a field of this name is read at all."""
    return plain(name) in _KNOWN


class Record:
    """The values of one record; what is null, blank or not a number is absent."""

    def __init__(self, record: Mapping[str, object], place: Place) -> None:
        self.place = place
        self._values: dict[str, tuple[str, object]] = {}
        for name, value in record.items():
            key = plain(name)
            if key in _KNOWN and not _is_absent(value):
                self._values.setdefault(key, (name, value))

    def find(self, field: str) -> tuple[str, object]:
        """Return the name and the value of `field`, None for a value if absent."""
        for key in _SPELLINGS[field]:
            if key in self._values:
                return self._values[key]
        return field, None

    def text(self, field: str, *, numbers: bool = False) -> str:
        """Return `field` as text, empty if absent; whole `numbers` only on demand."""
        name, value = self.find(field)
        if value is None:
            return ""
        if numbers and isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(name, value)
        return self.as_text(name, value)

    def as_text(self, name: str, value: object) -> str:
        """Return a value that must be text."""
        value = self.decoded(name, value)
        if isinstance(value, str):
            return value
        raise self._unreadable(name, "text", value)

    def decoded(self, name: str, value: object) -> object:
        """Return bytes as the text they are, and any other value as it is."""
        try:
            return value.decode("utf-8") if isinstance(value, bytes) else value
        except UnicodeDecodeError:
            raise self.place.problem("not-utf8", f"`{name}` is not UTF-8") from None

    def _number(self, name: str, value: float) -> str:
        try:
            if value == int(value):
                return str(int(value))
        except (ValueError, OverflowError):
            pass  # infinite, or with too many digits to write out
        raise self._unreadable(name, "text or a whole number", value)

    def _unreadable(self, name: str, wanted: str, value: object) -> InputError:
        return self.place.problem(
            "bad-field", f"`{name}` must be {wanted}; got {shown(value)}"
        )


def _is_absent(value: object) -> bool:
    if isinstance(value, str | bytes):
        return not value.strip()
    return value is None or (isinstance(value, float) and isnan(value))
