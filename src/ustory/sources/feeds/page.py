"""A page as an article: its text, and of a web archive title, authors and date, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from ustory.core.extras import check_extra
from ustory.sources.feeds.entry import site_of
from ustory.sources.feeds.markup import plain_line
from ustory.sources.feeds.xml_document import bounded_page
from ustory.sources.http.errors import FetchError
from ustory.sources.records.clean import clean
from ustory.sources.records.dates import parse_date
from ustory.sources.records.fields import MAX_ARTICLE_BYTES

MIN_CHARACTERS = 200
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


def check_extractor() -> None:
    """Say that the package which finds the text is missing, if it is.

    It is asked for at the start and loaded by the processes that read pages.
    """
    check_extra("trafilatura", "trafilatura", "serve")


def extract(page: str) -> str:
    """Return the article's text in a page of HTML, empty if none can be found."""
    from trafilatura import extract as extracted  # noqa: PLC0415 - heavy, optional

    page = bounded_page(page)
    try:
        text = extracted(page, include_comments=False, include_tables=False)
    except Exception as error:  # noqa: BLE001 - a parser must not end the service
        raise FetchError(
            "broken", f"the page cannot be read: {type(error).__name__}"
        ) from None
    return clean(text or "")


def page_record(page: str, url: str, fetched: datetime) -> dict[str, object] | None:
    """Return the record of a page, its address and the time of fetching.

    It is None for a page that holds no article.
    """
    from trafilatura import bare_extraction  # noqa: PLC0415 - heavy, optional

    latest = (fetched + timedelta(days=1)).date().isoformat()
    page = bounded_page(page)
    found: Any = bare_extraction(
        page,
        url=url,
        include_comments=False,
        include_tables=False,
        with_metadata=True,
        date_extraction_params={"original_date": True, "max_date": latest},
    )
    text = clean((found and found.text) or "")
    if len(text) < MIN_CHARACTERS:
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
