"""A page of a web archive as an article: text, title, authors, date and language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from ustory.core.errors import MissingExtraError
from ustory.fetch.links import site_of
from ustory.fetch.markup import plain_line
from ustory.ingest.clean import clean
from ustory.ingest.dates import parse_date
from ustory.ingest.fields import MAX_ARTICLE_BYTES

LEAST = 200
"""Characters of text that make an article; sections and galleries have fewer."""

_HEAD = 200_000
_LONG = 1_000
_NAME = r"(?:article:published_time|datePublished|parsely-pub-date)"
_DATES = (
    re.compile(rf"[\"']{_NAME}[\"'][^<>]{{0,200}}?content=[\"']([^\"'<>]{{4,40}})"),
    re.compile(
        rf"content=[\"']([^\"'<>]{{4,40}})[\"'][^<>]{{0,200}}?[\"']{_NAME}[\"']"
    ),
    re.compile(r"\"datePublished\"\s{0,9}:\s{0,9}\"([^\"<>]{4,40})\""),
    re.compile(r"\"datePublished\"[^<>]{0,200}?datetime=[\"']([^\"'<>]{4,40})"),
)
_LANGUAGE = re.compile(r"<html[^<>]{0,500}?\blang=[\"']?([a-zA-Z_-]{2,12})", re.I)


def page_reader() -> Callable[[str, str, datetime], dict[str, object] | None]:
    """Return what makes a record of a page, its address and the time of fetching.

    It gives None for a page that holds no article. The package that finds the text
    is asked for here, so that a missing one is said at the start.
    """
    try:
        from trafilatura import bare_extraction  # noqa: PLC0415 - heavy, optional
    except ImportError:
        raise MissingExtraError("trafilatura", "serve") from None
    return lambda page, url, fetched: _record(bare_extraction, page, url, fetched)


def _record(
    extract: Callable[..., Any], page: str, url: str, fetched: datetime
) -> dict[str, object] | None:
    latest = (fetched + timedelta(days=1)).date().isoformat()
    found = extract(
        page,
        url=url,
        include_comments=False,
        include_tables=False,
        with_metadata=True,
        date_extraction_params={"original_date": True, "max_date": latest},
    )
    text = clean((found and found.text) or "")
    if len(text) < LEAST:
        return None
    title = plain_line(found.title or "")[:_LONG]
    language = _LANGUAGE.search(page[:_HEAD])
    room = MAX_ARTICLE_BYTES - len(title.encode())
    return {
        "title": title,
        "text": text.encode()[:room].decode("utf-8", "ignore"),
        "url": url,
        "source": site_of(url),
        "authors": (found.author or "")[:_LONG],
        "lang": language[1] if language else None,
        "published_at": _published(page, found.date),
        "fetched_at": fetched,
    }


def _published(page: str, day: str | None) -> datetime | None:
    """Return when the page says it was published, to the second where it does."""
    for claim in _claims(page, day):
        try:
            return parse_date(claim)
        except ValueError:
            continue
    return None


def _claims(page: str, day: str | None) -> Iterator[str]:
    for pattern in _DATES:
        found = pattern.search(page[:_HEAD])
        if found:
            yield found[1]
    if day:
        yield day
