"""From a record of a living source to an article, its date not judged here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

from ustory.core.article import Article
from ustory.sources.records.dates import parse_date
from ustory.sources.records.fields import to_article
from ustory.sources.records.place import Place, shown
from ustory.sources.records.record import Record, plain

Clock: TypeAlias = Callable[[], datetime]
"""Tells what time it is, aware UTC."""

_DATE = "published_at"


def claimed_article(
    record: Mapping[str, object], place: Place, now: datetime
) -> Article:
    """Return the article in `record`, or raise the InputError that says why not.

    A date in the future is handed on as it is: whoever takes the article in judges
    it. One without a date is published when it is fetched, which is `now`.
    """
    claim = _claim(Record(record, place))
    rest = {name: value for name, value in record.items() if plain(name) != _PLAIN}
    # Dates are not judged here, so the check that ingest makes is passed by.
    article = to_article({_DATE: now, **rest}, place, now)
    if claim is None:
        return replace(article, published_at=now, fetched_at=now)
    return replace(article, published_at=claim)


_PLAIN = plain(_DATE)


def _claim(fields: Record) -> datetime | None:
    name, value = fields.find(_DATE)
    if value is None:
        return None
    try:
        return parse_date(fields.decoded(name, value))
    except ValueError as error:
        raise fields.place.problem(
            "bad-date",
            f"the date in `{name}` cannot be read: {error}; got {shown(value)}, "
            "write it like 2024-03-07T12:00:00Z, or leave it out",
        ) from None
