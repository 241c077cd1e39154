"""The full text of articles of which a feed gives only a summary."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from ustory.core.errors import MissingExtraError
from ustory.fetch.encoding import to_text
from ustory.fetch.errors import FetchError
from ustory.fetch.http import Web
from ustory.fetch.item import Fetched
from ustory.fetch.links import host_of
from ustory.fetch.politeness import Spacing
from ustory.fetch.robots import Robots
from ustory.ingest.clean import clean
from ustory.ingest.fields import MAX_ARTICLE_BYTES

PAGE_SIZE = 3_000_000
"""The largest page that is read, in bytes; what is larger is rarely an article."""

_LOG = logging.getLogger(__name__)
_HTML = ("text/html", "application/xhtml+xml", "")


class FullText:
    """Reads articles at their address, where the site's robots.txt lets us."""

    def __init__(
        self, web: Web, spacing: Spacing, clock: Callable[[], datetime]
    ) -> None:
        _extractor()  # a missing package is said at the start, not at the first page
        self._web = web
        self._spacing = spacing
        self._robots = Robots(web, spacing, clock)

    def complete(self, item: Fetched) -> Fetched:
        """Return the item with its full text; as it is if that cannot be had.

        Only an item that is a summary is looked up, and only a text longer than the
        summary is taken.
        """
        article = item.article
        if not item.summary_only or article.url is None:
            return item
        try:
            text = self.read(article.url)
        except FetchError as error:
            _LOG.info("no full text of %s: %s", article.url, error)
            return item
        room = MAX_ARTICLE_BYTES - len(article.title.encode())
        text = text.encode()[:room].decode("utf-8", "ignore")
        if len(text) <= len(article.text):
            return item
        full = replace(article, text=text)
        return replace(item, article=full, summary_only=False)

    def read(self, url: str) -> str:
        """Return the text of the page at `url`, or raise FetchError saying why not."""
        self._check(url)
        with self._spacing.turn(host_of(url), self._robots.delay(url)):
            answer = self._web.get(url, {"accept": "text/html"}, size=PAGE_SIZE)
        if answer.url != url:
            self._check(answer.url)
        if answer.status != 200:
            raise FetchError("status", f"the answer has status {answer.status}")
        content_type = answer.headers.get("content-type", "")
        if content_type.partition(";")[0].strip().lower() not in _HTML:
            raise FetchError("broken", f"it is no page, but {content_type[:60]!r}")
        return extract(to_text(answer.body, content_type))

    def _check(self, url: str) -> None:
        if not self._robots.allows(url):
            raise FetchError("address", "its robots.txt does not let us read it")


def extract(page: str) -> str:
    """Return the article's text in a page of HTML, empty if none can be found."""
    try:
        text = _extractor()(page, include_comments=False, include_tables=False)
    except Exception as error:  # noqa: BLE001 - a parser must not end the service
        raise FetchError(
            "broken", f"the page cannot be read: {type(error).__name__}"
        ) from None
    return clean(text or "")


def _extractor() -> Callable[..., str | None]:
    try:
        from trafilatura import extract as found  # noqa: PLC0415 - heavy, optional
    except ImportError:
        raise MissingExtraError("trafilatura", "serve") from None
    return found
